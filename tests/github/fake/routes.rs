//! Which request is which, and what it does to the state. Answers have all that GitHub's description requires.

use serde_json::{Value, json};

use super::{
    On, REGISTRATION, described,
    http::Request,
    state::{Comment, Repository, user},
};

const AT: &str = "2026-11-30T15:10:51Z";
/// GitHub's limit of a comment, in characters.
const COMMENT: usize = 65_536;

pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Value,
}

fn ok(body: Value) -> Answer {
    Answer { status: 200, headers: Vec::new(), body }
}

fn made(body: Value) -> Answer {
    Answer { status: 201, headers: Vec::new(), body }
}

/// The part of the path after the repository.
fn parts(request: &Request) -> Vec<&str> {
    request.path.trim_start_matches("/repos/").split('/').skip(2).collect()
}

pub fn kind(request: &Request) -> Option<On> {
    match request.path.as_str() {
        "/user" => return Some(On::User),
        "/graphql" => return Some(On::Viewer),
        _ => {}
    }
    Some(match (request.method.as_str(), &parts(request)[..]) {
        ("GET", []) => On::Repository,
        ("GET", ["issues", _, "comments"]) => On::ListComments,
        ("POST", ["issues", _, "comments"]) => On::CreateComment,
        ("PATCH", ["issues", "comments", _]) => On::ChangeComment,
        ("DELETE", ["issues", "comments", _]) => On::DeleteComment,
        ("POST", ["issues", "comments", _, "reactions"]) => On::React,
        ("POST", ["check-runs"]) => On::CreateCheck,
        ("PATCH", ["check-runs", _]) => On::ChangeCheck,
        ("GET", ["commits", _, "check-runs"]) => On::ListChecks,
        ("POST", ["statuses", _]) => On::Status,
        ("GET", ["pulls"]) => On::ListPulls,
        ("GET", ["pulls", _]) => On::Pull,
        ("GET", ["collaborators", _, "permission"]) => On::Permission,
        ("POST", ["actions", "workflows", _, "dispatches"]) => On::Dispatch,
        ("POST", ["actions", "runners", "registration-token"]) => On::RunnerToken,
        ("GET", ["actions", "runners", "downloads"]) => On::Downloads,
        ("GET", ["actions", "runners"]) => On::Runners,
        _ => return None,
    })
}

pub fn act(on: On, request: &Request, state: &mut Repository, stale: bool) -> Answer {
    if request.token != state.token {
        return Answer::error(401, "Bad credentials");
    }
    let parts: Vec<String> = parts(request).into_iter().map(str::to_owned).collect();
    let number = |at: usize| parts.get(at).and_then(|part| part.parse::<u64>().ok()).unwrap_or(0);
    match on {
        On::User => match &state.login {
            Some(login) => ok(over("private-user", json!({"login": login}))),
            None => Answer::error(403, "Resource not accessible by integration"),
        },
        On::Viewer => ok(json!({"data": {"viewer": {"login": state.author()}}})),
        On::Repository => {
            let fields = json!({"full_name": state.name, "private": state.private, "default_branch": "main"});
            let mut repository = over("full-repository", fields);
            // The description's example is older than the description.
            repository["has_discussions"] = json!(false);
            ok(repository)
        }
        On::ListComments => {
            let all = if stale { &state.earlier } else { &state.comments };
            let its: Vec<Value> =
                all.iter().filter(|c| c.issue == number(1)).map(|c| comment(&state.name, c)).collect();
            page(request, its)
        }
        On::CreateComment => {
            let body = request.body["body"].as_str().unwrap_or_default().to_owned();
            if body.is_empty() || body.encode_utf16().count() > COMMENT {
                return Answer::error(422, "Validation Failed: body is too long (maximum is 65536 characters)");
            }
            let (author, issue) = (state.author(), number(1));
            let id = state.says(&author, &body);
            if let Some(new) = state.comments.last_mut() {
                new.issue = issue;
            }
            let new = Comment { id, issue, author, body };
            made(comment(&state.name, &new))
        }
        On::ChangeComment => {
            let body = request.body["body"].as_str().unwrap_or_default().to_owned();
            if body.is_empty() || body.encode_utf16().count() > COMMENT {
                return Answer::error(422, "Validation Failed: body is too long (maximum is 65536 characters)");
            }
            let name = state.name.clone();
            state.earlier = state.comments.clone();
            match state.comments.iter_mut().find(|comment| comment.id == number(2)) {
                Some(found) => {
                    found.body = body;
                    ok(comment(&name, found))
                }
                None => Answer::error(404, "Not Found"),
            }
        }
        On::DeleteComment => {
            state.earlier = state.comments.clone();
            let before = state.comments.len();
            state.comments.retain(|comment| comment.id != number(2));
            match state.comments.len() < before {
                true => Answer { status: 204, headers: Vec::new(), body: Value::Null },
                false => Answer::error(404, "Not Found"),
            }
        }
        On::React => {
            let content = request.body["content"].as_str().unwrap_or_default().to_owned();
            state.reactions.push((number(2), content.clone()));
            let id = state.id();
            made(json!({"id": id, "node_id": "R", "user": user(&state.author()), "content": content, "created_at": AT}))
        }
        On::CreateCheck => {
            let id = state.id();
            let mut check = json!({
                "id": id, "node_id": "C", "head_sha": request.body["head_sha"], "name": request.body["name"],
                "external_id": request.body["external_id"], "details_url": request.body["details_url"],
                "url": "https://api.github.com/c/1", "html_url": "https://github.com/c/1", "status": "queued",
                "conclusion": null, "started_at": AT, "completed_at": null, "check_suite": {"id": 5}, "app": null,
                "pull_requests": [], "output": output(&Value::Null),
            });
            change(&mut check, &request.body);
            state.checks.push(check.clone());
            made(check)
        }
        On::ChangeCheck => match state.checks.iter_mut().find(|check| check["id"] == number(1)) {
            Some(check) => {
                change(check, &request.body);
                ok(check.clone())
            }
            None => Answer::error(404, "Not Found"),
        },
        On::ListChecks => {
            let its: Vec<Value> =
                state.checks.iter().filter(|check| check["head_sha"] == parts[1].as_str()).cloned().collect();
            ok(json!({"total_count": its.len(), "check_runs": its}))
        }
        On::Status => {
            state.statuses.push((parts[1].clone(), request.body.clone()));
            let id = state.id();
            made(json!({
                "url": "https://api.github.com/s/1", "avatar_url": null, "id": id, "node_id": "S",
                "state": request.body["state"], "description": request.body["description"],
                "target_url": request.body["target_url"], "context": request.body["context"], "created_at": AT,
                "updated_at": AT, "creator": user(&state.author()),
            }))
        }
        On::ListPulls => {
            let wanted = request.query("head").unwrap_or_default().to_owned();
            let owner = state.name.split('/').next().unwrap_or_default();
            let of_branch = state.pulls.iter().filter(|pull| format!("{owner}:{}", pull.1) == wanted);
            let its =
                of_branch.map(|found| pull(described::github().example("pull-request-simple-items")[0].clone(), found));
            let its = its.collect();
            page(request, its)
        }
        On::Pull => match state.pulls.iter().find(|pull| pull.0 == number(1)) {
            Some(found) => ok(pull(described::github().example("pull-request"), found)),
            None => Answer::error(404, "Not Found"),
        },
        On::Permission => match state.permissions.get(&parts[1]) {
            Some(permission) => ok(json!({"permission": permission, "role_name": permission, "user": null})),
            None => Answer::error(404, "Not Found"),
        },
        On::Dispatch => {
            let mut told = request.body.clone();
            told["workflow"] = json!(parts[2]);
            state.dispatches.push(told);
            Answer { status: 204, headers: Vec::new(), body: Value::Null }
        }
        On::RunnerToken => made(json!({"token": REGISTRATION, "expires_at": "2026-11-30T16:10:51Z"})),
        On::Downloads => ok(state.downloads.clone()),
        On::Runners => ok(json!({"total_count": 0, "runners": []})),
    }
}

/// A pull request, as an example of GitHub's with what the state has.
fn pull(mut example: Value, (number, branch, head, from): &(u64, String, String, String)) -> Value {
    // The example's own team lacks what the description asks for.
    example["requested_teams"] = json!([]);
    example["number"] = json!(number);
    example["head"]["ref"] = json!(branch);
    example["head"]["sha"] = json!(head);
    example["head"]["repo"]["full_name"] = json!(from);
    example
}

/// An example of GitHub's with other values in some fields.
fn over(example: &str, fields: Value) -> Value {
    let mut value = described::github().example(example);
    for (name, field) in fields.as_object().into_iter().flatten() {
        value[name] = field.clone();
    }
    value
}

fn comment(repository: &str, comment: &Comment) -> Value {
    let api = format!("https://api.github.com/repos/{repository}/issues");
    json!({
        "id": comment.id, "node_id": "IC", "url": format!("{api}/comments/{}", comment.id),
        "html_url": format!("https://github.com/{repository}/pull/{}", comment.issue),
        "issue_url": format!("{api}/{}", comment.issue), "user": user(&comment.author), "created_at": AT,
        "updated_at": AT, "author_association": "NONE", "body": comment.body,
    })
}

fn output(given: &Value) -> Value {
    let count = given["annotations"].as_array().map_or(0, Vec::len);
    json!({
        "title": given["title"], "summary": given["summary"], "text": null, "annotations_count": count,
        "annotations_url": "https://api.github.com/c/1/annotations", "given": given["annotations"],
    })
}

fn change(check: &mut Value, body: &Value) {
    for field in ["status", "conclusion", "completed_at"] {
        if !body[field].is_null() {
            check[field] = body[field].clone();
        }
    }
    if !body["output"].is_null() {
        check["output"] = output(&body["output"]);
    }
}

/// One page of a list, with the `Link` header that leads to the next.
fn page(request: &Request, all: Vec<Value>) -> Answer {
    let number = |name: &str, default: usize| request.query(name).and_then(|v| v.parse().ok()).unwrap_or(default);
    let (size, page) = (number("per_page", 30), number("page", 1));
    let from = size * (page - 1);
    let mut answer = ok(Value::Array(all.iter().skip(from).take(size).cloned().collect()));
    if from + size < all.len() {
        let next = format!("<https://api.github.com{}?per_page={size}&page={}>; rel=\"next\"", request.path, page + 1);
        answer.headers.push(("link", next));
    }
    answer
}
