use sessiontools::{Client, Options, v1};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let target = std::env::args().nth(1).ok_or("usage: quickstart HOST:PORT")?;
    let client = Client::connect(&target, Options::new().plaintext())?;
    let (session_key, message) = ("main".into(), "hello".into());
    let request = v1::SessionsSendRequest { session_key, message, ..Default::default() };
    let run_id = client.sessions_send(request).await?.run_id;
    let mut events = client.wait_run(v1::WaitRunRequest { run_id, ..Default::default() });
    while let Some(event) = events.next().await {
        println!("{:?}", event?);
    }
    Ok(())
}
