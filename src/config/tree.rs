//! Reads YAML into a tree whose nodes know where they stand in the file. Refuses what isugate's files have no use for:
//! several documents, tags, nesting or aliases beyond all reason.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span};

use super::{
    diagnostic::{Place, safe},
    error::{Findings, lines},
};

/// How deep values may be nested. The deepest that a configuration needs is six.
const MAX_DEPTH: usize = 40;
/// How many values a file may have, counted with all aliases written out.
const MAX_VALUES: usize = 20_000;

/// A YAML document.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    root: usize,
}

/// One value, or one key.
#[derive(Debug)]
pub(super) struct Node {
    pub kind: Kind,
    pub place: Place,
    /// The last line that the value stands on, from 1.
    pub last_line: usize,
    /// How many values it is with all aliases written out.
    size: usize,
    /// How deep it is, likewise.
    depth: usize,
}

/// What a node is.
#[derive(Debug)]
pub(super) enum Kind {
    /// A text; `plain` when it is not quoted, so that it may be a number or the like.
    Scalar { text: String, plain: bool },
    /// A list of nodes.
    List(Vec<usize>),
    /// Keys and values, both nodes, in the order of the file.
    Map(Vec<(usize, usize)>),
}

impl Tree {
    pub(super) fn node(&self, index: usize) -> &Node {
        &self.nodes[index]
    }

    pub(super) fn root(&self) -> usize {
        self.root
    }

    /// Reads the one document of `text`. `None` when there is no tree to go on with; `found` then says why.
    pub(super) fn read(text: &str, found: &mut Findings) -> Option<Tree> {
        let mut builder = Builder { nodes: Vec::new(), open: Vec::new(), anchors: HashMap::new(), root: None };
        let mut documents = 0;
        for event in Parser::new_from_str(text) {
            let (event, span) = match event {
                Ok(event) => event,
                Err(error) => {
                    syntax(text, &error, found);
                    return None;
                }
            };
            if let Event::DocumentStart(_) = event {
                documents += 1;
                if documents > 1 {
                    found.add(
                        Place { width: 3, ..place(&span) },
                        "",
                        "a second document begins here, and a configuration is one document",
                        Some("remove the `---` line, or move what follows to another file".into()),
                    );
                    return None;
                }
            }
            if let Err((message, help)) = builder.take(event, &span) {
                found.add(place(&span), "", message, Some(help.into()));
                return None;
            }
        }
        let root = builder.root;
        if root.is_none() {
            found.add(Place::START, "", "the file is empty", Some("docs/configuration.md has an example".into()));
        }
        Some(Tree { nodes: builder.nodes, root: root? })
    }
}

type Refused = (String, &'static str);

/// A list or map that is not finished: its children so far, its anchor, its place.
struct Open {
    map: bool,
    anchor: usize,
    place: Place,
    children: Vec<usize>,
}

struct Builder {
    nodes: Vec<Node>,
    open: Vec<Open>,
    anchors: HashMap<usize, usize>,
    root: Option<usize>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: &Span) -> Result<(), Refused> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                no_tag(tag.is_some())?;
                // The parser says `~` for a value that is not written at all.
                let absent = span.is_empty() && matches!(style, ScalarStyle::Plain);
                let text = if absent { String::new() } else { text.into_owned() };
                let kind = Kind::Scalar { text, plain: matches!(style, ScalarStyle::Plain) };
                self.finish(Node { kind, place: place(span), last_line: span.end.line(), size: 1, depth: 1 }, anchor)
            }
            Event::SequenceStart(anchor, tag) => no_tag(tag.is_some()).and_then(|()| self.begin(false, anchor, span)),
            Event::MappingStart(anchor, tag) => no_tag(tag.is_some()).and_then(|()| self.begin(true, anchor, span)),
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(open) = self.open.pop() else { return Ok(()) };
                let sum = |of: fn(&Node) -> usize, fold: fn(usize, usize) -> usize| {
                    open.children.iter().map(|child| of(&self.nodes[*child])).fold(0, fold)
                };
                let size = sum(|node| node.size, usize::saturating_add).saturating_add(1);
                let depth = sum(|node| node.depth, usize::max) + 1;
                let kind = match open.map {
                    true => Kind::Map(open.children.as_chunks::<2>().0.iter().map(|[k, v]| (*k, *v)).collect()),
                    false => Kind::List(open.children),
                };
                self.finish(Node { kind, place: open.place, last_line: span.end.line(), size, depth }, open.anchor)
            }
            Event::Alias(anchor) => match self.anchors.get(&anchor) {
                Some(target) => self.attach(*target),
                None => Err(("this alias stands for the value that it is in".into(), "write the value out")),
            },
            _ => Ok(()),
        }
    }

    fn begin(&mut self, map: bool, anchor: usize, span: &Span) -> Result<(), Refused> {
        self.open.push(Open { map, anchor, place: Place { width: 1, ..place(span) }, children: Vec::new() });
        self.reasonable(0, 0)
    }

    fn finish(&mut self, node: Node, anchor: usize) -> Result<(), Refused> {
        self.reasonable(node.size.max(self.nodes.len()), node.depth)?;
        self.nodes.push(node);
        let index = self.nodes.len() - 1;
        if anchor > 0 {
            self.anchors.insert(anchor, index);
        }
        self.attach(index)
    }

    fn attach(&mut self, index: usize) -> Result<(), Refused> {
        self.reasonable(self.nodes[index].size, self.nodes[index].depth)?;
        match self.open.last_mut() {
            Some(open) => open.children.push(index),
            None => self.root = self.root.or(Some(index)),
        }
        Ok(())
    }

    fn reasonable(&self, values: usize, depth: usize) -> Result<(), Refused> {
        let help = "docs/configuration.md says what a configuration holds";
        if self.open.len() + depth > MAX_DEPTH {
            return Err((format!("values are nested more than {MAX_DEPTH} deep here"), help));
        }
        if values > MAX_VALUES {
            return Err((format!("the file comes to more than {MAX_VALUES} values here, aliases written out"), help));
        }
        Ok(())
    }
}

fn no_tag(tagged: bool) -> Result<(), Refused> {
    match tagged {
        true => Err(("YAML tags have no meaning here".into(), "remove the word that begins with `!`, or quote it")),
        false => Ok(()),
    }
}

/// Where a node begins, and as much of it as stands on that line.
fn place(span: &Span) -> Place {
    let width = match span.start.line() == span.end.line() {
        true => span.end.col().saturating_sub(span.start.col()).max(1),
        false => 1,
    };
    Place { width, ..at(&span.start) }
}

/// The parser counts lines from 1 and columns from 0.
fn at(marker: &Marker) -> Place {
    Place { line: marker.line().max(1), column: marker.col() + 1, width: 1 }
}

/// Takes a syntax error down; tabs, the commonest one, are looked for in the lines around.
fn syntax(text: &str, error: &ScanError, found: &mut Findings) {
    let place = at(error.marker());
    let source = lines(text);
    let tab = (place.line.saturating_sub(1)..=place.line).rev().find_map(|line| {
        let content = source.get(line.checked_sub(1)?)?;
        let blank = content.len() - content.trim_start_matches([' ', '\t']).len();
        let column = content[..blank].find('\t')?;
        Some(Place { line, column: column + 1, width: blank - column })
    });
    match tab {
        Some(place) => found.add(place, "", "a tab in the indentation", Some("indent with spaces".into())),
        None => {
            let (message, help) = explained(error.info());
            found.add(place, "", message, Some(help.into()));
        }
    }
}

/// The commonest syntax errors in words that say what to do; the parser's own words for the others.
fn explained(info: &str) -> (String, &'static str) {
    let quotes = "a text that begins with a sign such as `*`, `&`, `@`, `[` or `{` needs quotes";
    let known = [
        (
            "mapping values are not allowed",
            "a `key:` can't stand here",
            "check the indentation, here and in the line above; a text that holds `: ` needs quotes",
        ),
        ("unknown anchor", "an alias (`*name`) of nothing", quotes),
        ("unexpected character", "a text can't begin with this", quotes),
        ("quoted scalar", "a quoted text that does not end where it should", "look for a missing quote"),
        ("flow sequence", "a list that does not end where it should", "look for a missing `]` or `,`"),
        ("flow mapping", "a map that does not end where it should", "look for a missing `}` or `,`"),
    ];
    match known.into_iter().find(|(needle, ..)| info.contains(needle)) {
        Some((_, message, help)) => (format!("not valid YAML: {message}"), help),
        None => (
            format!("not valid YAML: {}", safe(info)),
            "look at the indentation, quotes and brackets here and just above",
        ),
    }
}
