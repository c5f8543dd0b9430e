//! Who counted: the resource and the scope that metrics are of.

use super::point::{Metric, Point};

/// A resource (a service, its instance, its host) and a scope (a library in it). Together with the name
/// of a metric and the attributes of a point they say which series it is of: two services that count
/// under one name are two series.
#[derive(Debug)]
pub(super) struct Origin(Vec<(String, String)>);

impl Origin {
    /// The attribute for the scope, as OpenTelemetry calls it elsewhere.
    const SCOPE: &'static str = "otel.scope.name";

    pub(super) fn new(resource: Vec<(String, String)>, scope: String) -> Origin {
        let scope = (!scope.is_empty()).then(|| (Origin::SCOPE.to_owned(), scope));
        Origin(resource.into_iter().chain(scope).collect())
    }

    /// The metric, its points named by where they come from.
    pub(super) fn named(&self, mut metric: Metric) -> Metric {
        metric.points.iter_mut().for_each(|point| self.name(point));
        metric
    }

    /// Adds the attributes. One that the point has with another value stays beside it.
    fn name(&self, point: &mut Point) {
        for (key, value) in &self.0 {
            let own = point.attributes.iter().find(|(known, _)| known == key);
            match own {
                Some((_, same)) if same == value => {}
                Some(_) => point.attributes.push((format!("resource.{key}"), value.clone())),
                None => point.attributes.push((key.clone(), value.clone())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn points_have_the_attributes_of_their_origin_and_keep_their_own() {
        let resource = pairs(&[("service.name", "pay"), ("host.name", "a"), ("zone", "1")]);
        let attributes = pairs(&[("host.name", "b"), ("zone", "1")]);
        let points = vec![Point { attributes, ..Point::default() }];
        let metric = Metric { points, ..Metric::default() };
        let named = Origin::new(resource, "lib".to_owned()).named(metric);
        let expected = [
            ("host.name", "b"),
            ("zone", "1"),
            ("service.name", "pay"),
            ("resource.host.name", "a"),
            ("otel.scope.name", "lib"),
        ];
        assert_eq!(named.points[0].attributes, pairs(&expected));
    }
}
