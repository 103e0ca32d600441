//! The driver of the conformance suite for Rust; tests/clients/README.md tells what it speaks.

mod answers;
mod commands;
mod methods;
mod waits;

use std::io::BufRead;
use std::rc::Rc;

use serde_json::Value;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::{LocalSet, spawn_local};

use crate::commands::Driver;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    end_with_the_first_fault();
    LocalSet::new().run_until(serve()).await;
}

/// A fault in one task would otherwise leave the others alive and the runner waiting.
fn end_with_the_first_fault() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |fault| {
        report(fault);
        std::process::exit(1);
    }));
}

async fn serve() {
    let (commands, mut received) = unbounded_channel();
    std::thread::spawn(move || read(commands));
    let driver = Rc::new(Driver::default());
    while let Some(command) = received.recv().await {
        let driver = driver.clone();
        spawn_local(async move { driver.obey(command).await });
    }
}

/// Reads until the end of the input, with which the program ends.
fn read(commands: UnboundedSender<Value>) {
    for line in std::io::stdin().lock().lines() {
        let command = serde_json::from_str(&line.expect("a line of UTF-8")).expect("a line of JSON");
        commands.send(command).expect("a driver that listens");
    }
}
