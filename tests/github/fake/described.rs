//! GitHub's own description of its API. Every request that reaches the fake is held to it, and so is every answer that the fake
//! gives by itself; what a fault answers is the fault's business.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock},
};

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};

use super::{http::Request, prism::rig, routes::Answer};

/// The description, as `scripts/trim-openapi` leaves it.
pub struct Description {
    document: Value,
    /// The same as JSON Schema has it.
    components: Value,
    compiled: Mutex<HashMap<String, Arc<Validator>>>,
}

/// What GitHub can be asked for at one address by one method.
pub struct Operation<'a> {
    described: &'a Description,
    name: String,
    value: &'a Value,
    /// What stands in the places of the path's parameters.
    path: Vec<(&'a str, String)>,
}

pub fn github() -> &'static Description {
    static GITHUB: OnceLock<Description> = OnceLock::new();
    GITHUB.get_or_init(|| {
        let document: Value = serde_json::from_slice(&std::fs::read(rig("github.json")).unwrap()).unwrap();
        Description { components: schema_of(&document["components"]), document, compiled: Mutex::new(HashMap::new()) }
    })
}

impl Description {
    /// What a request asks for; `None` for what isugate has no business with.
    pub fn operation(&self, method: &str, path: &str) -> Option<Operation<'_>> {
        let method = method.to_ascii_lowercase();
        let paths = self.document["paths"].as_object()?;
        let mut found: Vec<Operation<'_>> = paths
            .iter()
            .filter_map(|(template, methods)| {
                let path = matched(template, path)?;
                let value = methods.get(&method)?;
                Some(Operation { described: self, name: format!("{method} {template}"), value, path })
            })
            .collect();
        // The address with the fewest variables is meant.
        found.sort_by_key(|operation| operation.path.len());
        found.into_iter().next()
    }

    /// One of the description's own examples.
    pub fn example(&self, name: &str) -> Value {
        self.document["components"]["examples"][name]["value"].clone()
    }

    /// Follows a reference.
    fn at<'a>(&'a self, value: &'a Value) -> &'a Value {
        let reference = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
        reference.map_or(value, |pointer| self.document.pointer(pointer).expect("a reference within the description"))
    }

    /// What is wrong with a value by a schema of the description.
    fn wrong(&self, name: &str, schema: &Value, value: &Value) -> Vec<String> {
        let known = self.compiled.lock().unwrap().get(name).cloned();
        let validator = known.unwrap_or_else(|| {
            let whole = json!({"allOf": [schema_of(schema)], "components": self.components});
            let made = jsonschema::options().with_draft(Draft::Draft4).should_validate_formats(true).build(&whole);
            let made = Arc::new(made.unwrap_or_else(|e| panic!("{name}: {e}")));
            self.compiled.lock().unwrap().insert(name.to_owned(), made.clone());
            made
        });
        validator.iter_errors(value).map(|error| format!("{name} at {}: {error}", error.instance_path())).collect()
    }
}

impl Operation<'_> {
    /// What the description does not allow of a request.
    pub fn wrong_request(&self, request: &Request) -> Vec<String> {
        let parameters: Vec<&Value> = self.value["parameters"]
            .as_array()
            .map(|all| all.iter().map(|one| self.described.at(one)).collect())
            .unwrap_or_default();
        let mut wrong = Vec::new();
        let of = |place: &str, name: &str| parameters.iter().find(|p| p["in"] == place && p["name"] == name);
        let path = self.path.iter().map(|(name, value)| ("path", *name, value));
        let query = request.query.iter().map(|(name, value)| ("query", name.as_str(), value));
        for (place, name, value) in path.chain(query) {
            match of(place, name) {
                None => wrong.push(format!("{}: `{name}` is no parameter", self.name)),
                Some(parameter) => {
                    let typed = value.parse::<i64>().map_or(json!(value), |number| json!(number));
                    let name = format!("{} {place} {name}", self.name);
                    let schema = &parameter["schema"];
                    // Digits are a text too.
                    if !self.described.wrong(&name, schema, &json!(value)).is_empty() {
                        wrong.extend(self.described.wrong(&name, schema, &typed));
                    }
                }
            }
        }
        let given = |name: &Value| request.query.iter().any(|(known, _)| *name == known.as_str());
        for parameter in parameters.iter().filter(|p| p["in"] == "query" && p["required"] == true) {
            if !given(&parameter["name"]) {
                wrong.push(format!("{}: {} is missing", self.name, parameter["name"]));
            }
        }
        wrong.extend(self.wrong_body(&request.body));
        if request.agent.is_empty() {
            // Source: "Getting started with the REST API": a request without User-Agent is rejected.
            wrong.push(format!("{}: there is no User-Agent", self.name));
        }
        wrong
    }

    fn wrong_body(&self, body: &Value) -> Vec<String> {
        let described = self.described.at(&self.value["requestBody"]);
        let schema = &described["content"]["application/json"]["schema"];
        match (body, schema) {
            (Value::Null, _) if described["required"] == true => vec![format!("{}: the body is missing", self.name)],
            (Value::Null, _) => Vec::new(),
            (_, Value::Null) => vec![format!("{}: it takes no body", self.name)],
            (body, schema) => {
                let mut wrong = self.described.wrong(&format!("{} body", self.name), schema, body);
                // The description allows more fields than it names. GitHub does not read them: a mistyped one would be lost.
                let known = self.fields(schema);
                let named = body.as_object().into_iter().flatten().map(|(name, _)| name);
                wrong.extend(
                    named.filter(|name| !known.contains(*name)).map(|name| format!("{}: no field `{name}`", self.name)),
                );
                wrong
            }
        }
    }

    /// The names of an object's fields.
    fn fields(&self, schema: &Value) -> Vec<String> {
        let schema = self.described.at(schema);
        let own = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone());
        let parts = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|kind| schema[kind].as_array()).flatten();
        own.chain(parts.flat_map(|part| self.fields(part))).collect()
    }

    /// What the description does not allow of an answer.
    pub fn wrong_answer(&self, answer: &Answer) -> Vec<String> {
        let status = answer.status.to_string();
        let name = format!("{} answer {status}", self.name);
        match &self.value["responses"][&status] {
            // Errors that every address can answer are not repeated at each.
            Value::Null if answer.status >= 400 => {
                self.described.wrong(&name, &json!({"$ref": "#/components/schemas/basic-error"}), &answer.body)
            }
            Value::Null => vec![format!("{name}: there is no such answer")],
            described => match (&self.described.at(described)["content"]["application/json"]["schema"], &answer.body) {
                (Value::Null, Value::Null) => Vec::new(),
                (Value::Null, _) => vec![format!("{name}: it has no body")],
                (schema, body) => self.described.wrong(&name, schema, body),
            },
        }
    }
}

/// What stands in the places of a template's parameters, if the path is of that form.
fn matched<'a>(template: &'a str, path: &str) -> Option<Vec<(&'a str, String)>> {
    let (template, path): (Vec<_>, Vec<_>) = (template.split('/').collect(), path.split('/').collect());
    if template.len() != path.len() {
        return None;
    }
    let mut found = Vec::new();
    for (form, part) in template.iter().zip(path) {
        match form.strip_prefix('{').and_then(|form| form.strip_suffix('}')) {
            Some(name) => found.push((name, part.to_owned())),
            None if *form == part => {}
            None => return None,
        }
    }
    Some(found)
}

/// A schema of OpenAPI 3.0 as JSON Schema has it: there, `nullable` is a type of its own.
fn schema_of(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut own: Map<String, Value> = object.iter().map(|(name, v)| (name.clone(), schema_of(v))).collect();
            if own.get("nullable").is_some_and(Value::is_boolean) && own.remove("nullable") == Some(json!(true)) {
                return json!({"anyOf": [{"type": "null"}, own]});
            }
            Value::Object(own)
        }
        Value::Array(list) => list.iter().map(schema_of).collect(),
        other => other.clone(),
    }
}
