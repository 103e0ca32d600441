use serde_json::{Map, Value, json};
use sessiontools::{Code, Error};

/// Writes one line for a command: its id, and something more.
pub fn answer(command: &Value, name: &str, value: Value) {
    let mut line = Map::new();
    line.insert("id".into(), command["id"].clone());
    line.insert(name.into(), value);
    println!("{}", Value::Object(line));
}

/// The client's error, field by field.
pub fn told(error: &Error) -> Value {
    json!({
        "code": name_of(error.code()),
        "reason": error.reason(),
        "message": error.message(),
        "metadata": error.metadata(),
        "fields": error.fields().iter().map(|each| &each.field).collect::<Vec<_>>(),
        "retry_after_seconds": error.retry_after().unwrap_or_default().as_secs_f64(),
    })
}

/// A caller in Rust cancels by dropping, and gets no error; this is what the suite calls it.
pub fn cancelled() -> Value {
    json!({
        "code": "CANCELLED", "reason": "", "message": "dropped by its caller",
        "metadata": {}, "fields": [], "retry_after_seconds": 0.0,
    })
}

/// `NotFound` as `NOT_FOUND`.
fn name_of(code: Code) -> String {
    let mut name = String::new();
    for letter in format!("{code:?}").chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_uppercase());
    }
    name
}
