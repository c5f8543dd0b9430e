//! PNG with a palette: a page has few colours, and the edges of its letters need no exact ones.

use std::collections::HashMap;
use std::io::Cursor;

use anyhow::{Context, Result, bail};
use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Filter, Transformations};

/// The most colours of a picture.
const MOST_COLOURS: usize = 64;

type Colour = [u8; 3];

/// The same picture with at most [`MOST_COLOURS`] colours.
pub fn reduced(image: &[u8]) -> Result<Vec<u8>> {
    let (width, height, dots) = decoded(image)?;
    let mut counts = HashMap::<Colour, u64>::new();
    for dot in &dots {
        *counts.entry(*dot).or_default() += 1;
    }
    let palette = Palette::of(&counts, MOST_COLOURS);
    let indices: Vec<u8> = dots.iter().map(|dot| palette.index[dot]).collect();
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, width, height);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_palette(palette.colours.concat());
    encoder.set_compression(Compression::High);
    encoder.set_filter(Filter::NoFilter);
    encoder.write_header()?.write_image_data(&indices)?;
    Ok(out)
}

/// Width, height and dots, row by row.
fn decoded(image: &[u8]) -> Result<(u32, u32, Vec<Colour>)> {
    let mut decoder = Decoder::new(Cursor::new(image));
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let mut reader = decoder.read_info()?;
    let mut bytes = vec![0; reader.output_buffer_size().context("too large")?];
    let info = reader.next_frame(&mut bytes)?;
    let size = match info.color_type {
        ColorType::Rgb => 3,
        ColorType::Rgba => 4,
        other => bail!("a picture of {other:?}"),
    };
    let dots = bytes[..info.buffer_size()].chunks_exact(size).map(|dot| [dot[0], dot[1], dot[2]]);
    Ok((info.width, info.height, dots.collect()))
}

/// The colours of a palette, and which of them stands for each colour of the picture.
#[derive(Debug)]
struct Palette {
    colours: Vec<Colour>,
    index: HashMap<Colour, u8>,
}

impl Palette {
    /// At most this many colours. Groups of similar colours are divided where they differ most; the most
    /// frequent colour of a group stands for it, so that large areas keep theirs exactly.
    fn of(counts: &HashMap<Colour, u64>, most: usize) -> Palette {
        let mut all: Vec<(Colour, u64)> =
            counts.iter().map(|(colour, count)| (*colour, *count)).collect();
        // A map has no order of its own, and the same picture is the same file.
        all.sort_unstable();
        let mut groups = vec![Group::new(all)];
        while groups.len() < most.min(256) {
            let errors = groups.iter().map(|group| group.spread.1).enumerate();
            let worst = errors.max_by(|one, other| one.1.total_cmp(&other.1));
            let Some((at, _)) = worst.filter(|(_, error)| *error > 0.0) else { break };
            let (low, high) = groups.swap_remove(at).divided();
            groups.extend([low, high]);
        }
        groups.sort_unstable_by_key(Group::frequent);
        let colours = groups.iter().map(Group::frequent).collect();
        let members = |(index, group): (u8, &Group)| {
            group.colours.iter().map(move |(colour, _)| (*colour, index)).collect::<Vec<_>>()
        };
        let index = (0..=u8::MAX).zip(&groups).flat_map(members).collect();
        Palette { colours, index }
    }
}

/// Colours that become one, with how often each is in the picture.
#[derive(Debug)]
struct Group {
    colours: Vec<(Colour, u64)>,
    /// The part of colours (red, green, blue) that differs most, and how much: the sum of squares.
    spread: (usize, f64),
}

impl Group {
    fn new(colours: Vec<(Colour, u64)>) -> Group {
        let spreads = (0..3).map(|part| {
            let mean = mean(&colours, part);
            let square = |(colour, count): &(Colour, u64)| {
                *count as f64 * (f64::from(colour[part]) - mean).powi(2)
            };
            (part, colours.iter().map(square).sum::<f64>())
        });
        let spread = spreads.max_by(|one, other| one.1.total_cmp(&other.1)).unwrap_or((0, 0.0));
        Group { colours, spread }
    }

    /// Two groups: those below the mean and those above it.
    fn divided(self) -> (Group, Group) {
        let (part, _) = self.spread;
        let mean = mean(&self.colours, part);
        let (low, high) =
            self.colours.into_iter().partition(|(colour, _)| f64::from(colour[part]) <= mean);
        (Group::new(low), Group::new(high))
    }

    fn frequent(&self) -> Colour {
        let most = self.colours.iter().max_by_key(|(colour, count)| (*count, *colour));
        most.map_or([0; 3], |(colour, _)| *colour)
    }
}

/// The mean of a part of colours.
fn mean(colours: &[(Colour, u64)], part: usize) -> f64 {
    let all: u64 = colours.iter().map(|(_, count)| count).sum();
    let sum: u64 = colours.iter().map(|(colour, count)| count * u64::from(colour[part])).sum();
    sum as f64 / all as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(width: u32, dots: &[Colour]) -> Vec<u8> {
        let mut out = Vec::new();
        let height = u32::try_from(dots.len()).unwrap() / width;
        let mut encoder = Encoder::new(&mut out, width, height);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.write_header().unwrap().write_image_data(&dots.concat()).unwrap();
        out
    }

    #[test]
    fn few_colours_stay_as_they_are() {
        let dots: Vec<Colour> = (0..60).map(|part: u8| [2 * part, 255 - part, part % 7]).collect();
        let reduced = reduced(&image(12, &dots)).unwrap();
        assert_eq!(decoded(&reduced).unwrap(), (12, 5, dots));
    }

    #[test]
    fn of_many_colours_the_most_frequent_stay_and_the_others_change_little() {
        // A ground, letters with soft edges, and a mark of one dot in a colour of its own.
        let mut dots: Vec<Colour> = (0..2000u32)
            .map(|at| {
                let [grey, ..] = (at % 256).to_le_bytes();
                [grey, grey, grey.saturating_sub(u8::from(at > 1000))]
            })
            .collect();
        dots.extend([[13, 17, 22]; 5000]);
        dots.push([255, 0, 0]);
        let (_, _, shown) = decoded(&reduced(&image(1, &dots)).unwrap()).unwrap();
        let apart = |(one, other): (&Colour, &Colour)| {
            one.iter().zip(other).map(|(one, other)| one.abs_diff(*other)).max().unwrap()
        };
        assert!(dots.iter().zip(&shown).map(apart).max().unwrap() <= 10);
        assert_eq!(shown[2000..], dots[2000..]);
        let mut colours = shown;
        colours.sort_unstable();
        colours.dedup();
        assert!((50..=MOST_COLOURS).contains(&colours.len()), "{}", colours.len());
    }

    #[test]
    fn the_same_picture_is_the_same_file() {
        let dots: Vec<Colour> = (0..=255).flat_map(|red| [[red, 0, 0], [0, red, 3]]).collect();
        let image = image(16, &dots);
        assert_eq!(reduced(&image).unwrap(), reduced(&image).unwrap());
    }
}
