const README: &str = include_str!("../../README.md");
const PROGRAM: &str = include_str!("../../examples/quickstart.rs");

#[test]
fn the_readme_prints_the_quick_start_in_at_most_twenty_lines() {
    assert!(PROGRAM.lines().count() <= 20);
    assert!(README.contains(&format!("```rust,no_run\n{PROGRAM}```\n")), "the README has another program");
}
