//! Exports in protobuf: `ExportMetricsServiceRequest`, or `MetricsData`, which has the same fields.

use super::origin::Origin;
use super::point::{Buckets, Export, Metric, Point, Temporality};
use crate::exponential::Exponential;
use isotherm_frame::protobuf::{Fields, Malformed, Value, signed};

pub(super) fn export(bytes: &[u8]) -> Result<Export, Malformed> {
    let mut export = Export::default();
    for field in Fields::of(bytes) {
        if let (1, group) = field? {
            resource_into(group.bytes()?, &mut export)?;
        }
    }
    Ok(export)
}

/// The metrics of one resource, which may be written before or after them.
fn resource_into(bytes: &[u8], export: &mut Export) -> Result<(), Malformed> {
    let (mut attributes, mut scopes) = (Vec::new(), Vec::new());
    for field in Fields::of(bytes) {
        match field? {
            (1, resource) => attributes = attributes_of(resource.bytes()?)?,
            (2, scope) => scopes.push(scope.bytes()?),
            _ => {}
        }
    }
    scopes.into_iter().try_for_each(|scope| scope_into(scope, &attributes, export))
}

fn attributes_of(resource: &[u8]) -> Result<Vec<(String, String)>, Malformed> {
    let mut attributes = Vec::new();
    for field in Fields::of(resource) {
        if let (1, attribute) = field? {
            attributes.push(attribute.pair(value_of)?);
        }
    }
    Ok(attributes)
}

fn scope_into(
    bytes: &[u8],
    resource: &[(String, String)],
    export: &mut Export,
) -> Result<(), Malformed> {
    let (mut name, mut metrics) = (String::new(), Vec::new());
    for field in Fields::of(bytes) {
        match field? {
            (1, scope) => name = name_of(scope.bytes()?)?,
            (2, metric) => metrics.push(metric_of(metric.bytes()?)?),
            _ => {}
        }
    }
    let origin = Origin::new(resource.to_vec(), name);
    let filled = metrics.into_iter().filter(|metric| !metric.points.is_empty());
    export.metrics.extend(filled.map(|metric| origin.named(metric)));
    Ok(())
}

fn name_of(scope: &[u8]) -> Result<String, Malformed> {
    let mut name = String::new();
    for field in Fields::of(scope) {
        if let (1, text) = field? {
            name = text.text()?;
        }
    }
    Ok(name)
}

/// Whether bytes begin like an export, which may go on beyond them: a resource with a scope with a metric
/// that has a name.
pub(super) fn begins_like_one(head: &[u8]) -> bool {
    let name = inside(head, 1).and_then(|resource| inside(resource, 2)).and_then(|scope| inside(scope, 2));
    let name = name.and_then(|metric| inside(metric, 1));
    let printable = |byte: &u8| byte.is_ascii_graphic();
    name.is_some_and(|name| !name.is_empty() && name.iter().all(printable))
}

/// The first field of this number, or as much of it as there is.
fn inside(mut bytes: &[u8], wanted: u32) -> Option<&[u8]> {
    /// The kind of a field that has a length.
    const LENGTH: u64 = 2;
    loop {
        let mut rest = bytes;
        let key = isotherm_frame::protobuf::number(&mut rest)?;
        if key & 7 == LENGTH && key >> 3 == u64::from(wanted) {
            let length = usize::try_from(isotherm_frame::protobuf::number(&mut rest)?).ok()?;
            return Some(&rest[..length.min(rest.len())]);
        }
        // What comes before must be whole.
        if key & 7 != LENGTH {
            return None;
        }
        let length = usize::try_from(isotherm_frame::protobuf::number(&mut rest)?).ok()?;
        bytes = rest.get(length..)?;
    }
}

fn metric_of(bytes: &[u8]) -> Result<Metric, Malformed> {
    let mut metric = Metric::default();
    for field in Fields::of(bytes) {
        match field? {
            (1, name) => metric.name = name.text()?,
            (3, unit) => metric.unit = unit.text()?,
            (9, data) => points_into(data.bytes()?, explicit, &mut metric)?,
            (10, data) => points_into(data.bytes()?, powers, &mut metric)?,
            _ => {}
        }
    }
    Ok(metric)
}

fn points_into(
    bytes: &[u8],
    read: fn(&[u8]) -> Result<Point, Malformed>,
    metric: &mut Metric,
) -> Result<(), Malformed> {
    let (mut points, mut temporality) = (Vec::new(), Temporality::default());
    for field in Fields::of(bytes) {
        match field? {
            (1, point) => points.push(read(point.bytes()?)?),
            (2, number) => temporality = Temporality::of(number.whole()?),
            _ => {}
        }
    }
    metric.points.extend(points.into_iter().map(|point| Point { temporality, ..point }));
    Ok(())
}

/// The flag of a point without a value.
const NO_VALUE: u64 = 1;

fn explicit(bytes: &[u8]) -> Result<Point, Malformed> {
    let (mut point, mut counts, mut bounds) = (Point::default(), Vec::new(), Vec::new());
    for field in Fields::of(bytes) {
        match field? {
            (9, attribute) => point.attributes.push(attribute.pair(value_of)?),
            (6, count) => count.eights(&mut counts)?,
            (7, bound) => bound.eights(&mut bounds)?,
            (10, flags) => point.no_value = flags.whole()? & NO_VALUE > 0,
            other => common(other, &mut point)?,
        }
    }
    let bounds = bounds.into_iter().map(f64::from_bits).collect();
    point.buckets = Buckets::Explicit { bounds, counts };
    Ok(point)
}

/// The fields that both kinds of points have.
fn common(field: (u32, Value<'_>), point: &mut Point) -> Result<(), Malformed> {
    match field {
        (2, start) => point.start_ns = start.whole()?,
        (3, time) => point.time_ns = time.whole()?,
        (4, count) => point.count = count.whole()?,
        (5, sum) => point.sum = Some(sum.double()?),
        _ => {}
    }
    Ok(())
}

fn powers(bytes: &[u8]) -> Result<Point, Malformed> {
    let (mut point, mut counts, mut negative) = (Point::default(), Exponential::default(), 0);
    for field in Fields::of(bytes) {
        match field? {
            (1, attribute) => point.attributes.push(attribute.pair(value_of)?),
            (6, scale) => counts.scale = i32::try_from(signed(scale.whole()?)).map_err(|_| Malformed)?,
            (7, zero) => counts.zero_count = zero.whole()?,
            (8, positive) => counts.buckets = in_a_row(positive.bytes()?)?,
            (9, below) => negative = in_a_row(below.bytes()?)?.iter().map(|(_, count)| count).sum(),
            (10, flags) => point.no_value = flags.whole()? & NO_VALUE > 0,
            (14, threshold) => counts.zero_threshold = threshold.double()?,
            other => common(other, &mut point)?,
        }
    }
    point.buckets = Buckets::Powers { counts, negative };
    Ok(point)
}

fn in_a_row(bytes: &[u8]) -> Result<Vec<(i32, u64)>, Malformed> {
    let (mut offset, mut counts) = (0, Vec::new());
    for field in Fields::of(bytes) {
        match field? {
            (1, number) => offset = i32::try_from(signed(number.whole()?)).map_err(|_| Malformed)?,
            (2, count) => count.numbers(&mut counts)?,
            _ => {}
        }
    }
    Buckets::in_a_row(offset, &counts).ok_or(Malformed)
}

/// A value as text; of a list its plain values, joined by commas.
fn value_of(value: Value<'_>) -> Result<String, Malformed> {
    for field in Fields::of(value.bytes()?) {
        if let (5, list) = field? {
            let values = Fields::of(list.bytes()?).map(|value| match value? {
                (1, value) => plain_of(value),
                _ => Err(Malformed),
            });
            return Ok(values.collect::<Result<Vec<_>, _>>()?.join(","));
        }
    }
    plain_of(value)
}

fn plain_of(value: Value<'_>) -> Result<String, Malformed> {
    let mut text = String::new();
    for field in Fields::of(value.bytes()?) {
        text = match field? {
            (1, value) => value.text()?,
            (2, value) => (value.whole()? > 0).to_string(),
            // A negative number is written as if it had no sign.
            (3, value) => value.whole()?.cast_signed().to_string(),
            (4, value) => value.double()?.to_string(),
            _ => text,
        };
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_told_as_in_json() {
        // AnyValue { array_value { values { string_value "a" } values { int_value 2 } } }
        let list = b"\x2a\x09\x0a\x03\x0a\x01a\x0a\x02\x18\x02";
        assert_eq!(value_of(Value::Bytes(list)), Ok("a,2".to_owned()));
        assert_eq!(value_of(Value::Bytes(b"\x10\x01")), Ok("true".to_owned()));
    }
}
