import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const root = new URL("../../", import.meta.url);

test("the README prints the quick start, in at most 20 lines", async () => {
  const readme = await readFile(new URL("README.md", root), "utf8");
  const program = await readFile(new URL("examples/quickstart.ts", root), "utf8");

  assert.ok(program.trimEnd().split("\n").length <= 20);
  assert.ok(readme.includes("```ts\n" + program + "```\n"));
});
