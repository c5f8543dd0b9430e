//! What models are called, and their formulas.

use isotherm_queueing::Model;

/// What a model is called in words.
pub(super) fn title(model: Model) -> &'static str {
    match model {
        Model::SmoothBound => "smooth bound",
        Model::Servers => "closed M/M/c",
        Model::Usl2 => "USL without coherency",
        Model::Usl3 => "Universal Scalability Law",
        Model::Mva => "MVA of a delay and one server",
        Model::Linear => "straight line",
        Model::MvaServers => "MVA of a delay and several servers",
        Model::OrapubCpu => "OraPub, CPU form",
        Model::OrapubIo => "OraPub, I/O form",
        Model::Mmc => "M/M/c",
        Model::Md1 => "M/D/1",
        Model::Ggc => "G/G/c (Allen and Cunneen)",
        Model::DelayMm1 => "delay and M/M/1",
    }
}

/// Its formula.
pub(super) fn formula(model: Model) -> &'static str {
    match model {
        Model::SmoothBound => "X = [(N/R0)^-k + Xmax^-k]^(-1/k)",
        Model::Servers => "X = min(N, M)/S",
        Model::Usl2 => "X = gN/(1 + a(N-1))",
        Model::Usl3 => "X = gN/(1 + a(N-1) + bN(N-1))",
        Model::Linear => "X = N/R0",
        Model::Mva => "delay Z, one server of S",
        Model::MvaServers => "delay Z, M servers of S",
        Model::OrapubCpu => "R = S/(1 - (SL/M)^M)",
        Model::OrapubIo => "R = S/(1 - SL/M)",
        Model::Mmc => "R = S + C(M, SL) S/(M - SL)",
        Model::Md1 => "R = S + SL S/(2(1 - SL))",
        Model::Ggc => "R = S + v C(M, SL) S/(M - SL)",
        Model::DelayMm1 => "R = Z + S/(1 - SL)",
    }
}
