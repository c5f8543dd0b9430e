# The static program in a container with nothing else in it.
#
#   docker build -t isotherm .
#   docker run --rm -it isotherm
#   docker run --rm -it -v "$PWD:/data" isotherm live probe:.
FROM rust:1-bookworm AS build
# C for SQLite and TLS.
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends musl-tools \
    && rm -rf /var/lib/apt/lists/*
RUN rustup target add "$(uname -m)-unknown-linux-musl"
WORKDIR /src
COPY . .
RUN cargo xtask dist \
    && install -D "target/$(uname -m)-unknown-linux-musl/dist/isotherm" /out/usr/bin/isotherm \
    && install -D LICENSE /out/usr/share/doc/isotherm/LICENSE

FROM scratch
COPY --from=build /out/ /
WORKDIR /data
ENTRYPOINT ["/usr/bin/isotherm"]
CMD ["demo"]
