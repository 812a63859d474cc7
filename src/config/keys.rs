//! Which keys the configuration has and what stands in each, taken from the JSON Schema of [`Config`], which is made from
//! its fields. So there is one place in which a key is declared.

use std::sync::LazyLock;

use serde_json::Value;

use super::{duration, shape::Config};

/// What may stand in a place.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// Keys that are declared.
    Object(Vec<Field>),
    /// Names of one's own, each with a value of one shape.
    Map(Box<Shape>),
    /// Values of one shape.
    List(Box<Shape>),
    /// Any text.
    Text,
    /// A duration such as `30s`.
    Duration,
    /// An error code: a whole number or a word.
    Code,
    /// A whole number up to a greatest one.
    Whole(u64),
    /// `true` or `false`.
    Flag,
    /// One of some words.
    Words(Vec<String>),
    /// Whatever one likes.
    Any,
}

/// A declared key.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    pub name: String,
    pub shape: Shape,
    /// The first sentence of its description.
    pub meaning: String,
    pub required: bool,
    /// Whether `null` is the same as absence.
    pub nullable: bool,
}

/// The shape of the whole configuration.
pub(super) static ROOT: LazyLock<Shape> = LazyLock::new(|| {
    let schema = schemars::schema_for!(Config);
    shape(schema.as_value(), schema.as_value()).0
});

/// The shape that a schema describes, and whether it may be null. What is not understood is [`Shape::Any`].
fn shape(schema: &Value, root: &Value) -> (Shape, bool) {
    if let Some(pointer) = schema["$ref"].as_str().and_then(|r| r.strip_prefix('#')) {
        return root.pointer(pointer).map_or((Shape::Any, false), |target| shape(target, root));
    }
    let is_null = |schema: &Value| schema["type"] == "null";
    if let Some(variants) = schema["anyOf"].as_array() {
        let mut others = variants.iter().filter(|variant| !is_null(variant));
        return match (others.next(), others.next()) {
            (Some(only), None) => (shape(only, root).0, variants.iter().any(is_null)),
            _ => (Shape::Any, true),
        };
    }
    if let Some(variants) = schema["oneOf"].as_array() {
        let words: Option<Vec<String>> = variants.iter().map(|v| v["const"].as_str().map(String::from)).collect();
        return (words.map_or(Shape::Any, Shape::Words), false);
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => return (Shape::Any, true),
    };
    let nullable = types.contains(&"null");
    let shape = match types.iter().filter(|t| **t != "null").copied().collect::<Vec<_>>()[..] {
        ["object"] => object(schema, root),
        ["array"] => Shape::List(Box::new(shape(&schema["items"], root).0)),
        ["string"] if schema["pattern"] == duration::PATTERN => Shape::Duration,
        ["string"] => Shape::Text,
        ["string", "integer"] => Shape::Code,
        ["integer"] => Shape::Whole(schema["maximum"].as_u64().unwrap_or(match schema["format"].as_str() {
            Some("uint32") => u32::MAX.into(),
            _ => u64::MAX,
        })),
        ["boolean"] => Shape::Flag,
        _ => Shape::Any,
    };
    (shape, nullable)
}

fn object(schema: &Value, root: &Value) -> Shape {
    let Some(properties) = schema["properties"].as_object() else {
        return Shape::Map(Box::new(shape(&schema["additionalProperties"], root).0));
    };
    let required = |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|r| r == name));
    let field = |(name, described): (&String, &Value)| {
        let (shape, nullable) = shape(described, root);
        let meaning = described["description"].as_str().and_then(|text| text.split(". ").next());
        let meaning = meaning.unwrap_or_default().trim_end_matches('.').replace('\n', " ");
        Field { name: name.clone(), shape, meaning, required: required(name), nullable }
    };
    Shape::Object(properties.iter().map(field).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(shape: &Shape, path: &str, any: &mut Vec<String>, durations: &mut Vec<String>) {
        match shape {
            Shape::Object(fields) => {
                fields.iter().for_each(|f| walk(&f.shape, &format!("{path}.{}", f.name), any, durations));
            }
            Shape::Map(inner) | Shape::List(inner) => walk(inner, path, any, durations),
            Shape::Any => any.push(path.into()),
            Shape::Duration => durations.push(path.into()),
            _ => {}
        }
    }

    #[test]
    fn only_the_result_description_is_free_of_shape() {
        let (mut any, mut durations) = (Vec::new(), Vec::new());
        walk(&ROOT, "", &mut any, &mut durations);
        assert_eq!(any, [".bench.result"]);
        assert_eq!(
            durations,
            [
                ".ssh.connect_timeout",
                ".deploy.build.timeout",
                ".deploy.ready.within",
                ".bench.timeout",
                ".collect.timeout",
                ".verdict.integrity.duration"
            ]
        );
    }
}
