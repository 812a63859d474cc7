//! A value in the tree, seen with the way that leads to it: its path, and the place of its key.

use super::{
    diagnostic::Place,
    tree::{Kind, Node, Tree},
};

/// A value and its path.
#[derive(Debug, Clone)]
pub(super) struct Value<'t> {
    tree: &'t Tree,
    node: usize,
    key: Option<usize>,
    /// Such as `deploy.restart[0].unit`; empty for the root.
    pub path: String,
}

impl<'t> Value<'t> {
    pub(super) fn root(tree: &'t Tree) -> Self {
        Value { tree, node: tree.root(), key: None, path: String::new() }
    }

    pub(super) fn node(&self) -> &'t Node {
        self.tree.node(self.node)
    }

    /// Where the value itself stands; for a list or map, and for a value that is not written, where its key does.
    pub(super) fn place(&self) -> Place {
        match &self.node().kind {
            Kind::Scalar { text, plain } if !(*plain && text.is_empty()) => self.node().place,
            _ => self.key_place(),
        }
    }

    /// Where the key of the value stands; without a key (in a list, at the root) where the value does.
    pub(super) fn key_place(&self) -> Place {
        self.key.map_or(self.node().place, |key| self.tree.node(key).place)
    }

    /// The text of a scalar that is not null.
    pub(super) fn text(&self) -> Option<&'t str> {
        match &self.node().kind {
            Kind::Scalar { text, .. } if !self.is_null() => Some(text),
            _ => None,
        }
    }

    /// Whether it is null: written so, or not written.
    pub(super) fn is_null(&self) -> bool {
        match &self.node().kind {
            Kind::Scalar { text, plain: true } => matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"),
            _ => false,
        }
    }

    /// Whether nothing is written after the key.
    pub(super) fn is_absent(&self) -> bool {
        matches!(&self.node().kind, Kind::Scalar { text, plain: true } if text.is_empty())
    }

    /// The value of a key, when this is a map that has it and it is not null.
    pub(super) fn get(&self, name: &str) -> Option<Value<'t>> {
        self.entries()
            .into_iter()
            .find(|(key, _)| key.text() == Some(name))
            .map(|(_, value)| value)
            .filter(|v| !v.is_null())
    }

    /// The text of a key's value.
    pub(super) fn get_text(&self, name: &str) -> Option<(&'t str, Value<'t>)> {
        let value = self.get(name)?;
        Some((value.text()?, value))
    }

    /// The elements of a list; none for anything else.
    pub(super) fn items(&self) -> Vec<Value<'t>> {
        let Kind::List(nodes) = &self.node().kind else { return Vec::new() };
        let item = |(index, node): (usize, &usize)| Value {
            tree: self.tree,
            node: *node,
            key: None,
            path: format!("{}[{index}]", self.path),
        };
        nodes.iter().enumerate().map(item).collect()
    }

    /// The keys and values of a map; none for anything else. A key's own path is that of the map.
    pub(super) fn entries(&self) -> Vec<(Value<'t>, Value<'t>)> {
        let Kind::Map(entries) = &self.node().kind else { return Vec::new() };
        let entry = |(key, value): &(usize, usize)| {
            let key = Value { tree: self.tree, node: *key, key: None, path: self.path.clone() };
            let name = key.text().unwrap_or("?");
            let path = if self.path.is_empty() { name.into() } else { format!("{}.{name}", self.path) };
            let value = Value { tree: self.tree, node: *value, key: Some(key.node), path };
            (key, value)
        };
        entries.iter().map(entry).collect()
    }
}
