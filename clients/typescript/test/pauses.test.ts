import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";

import { Code } from "@sessiontools/client";

import { pausing } from "#dist/pauses.js";
import { Scope } from "#dist/scope.js";

function timers(): number {
  return process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;
}

test("a pause that its signal ends leaves no timer behind", async () => {
  const before = timers();
  const controller = new AbortController();

  const pause = pausing.sleep(60_000, controller.signal);
  controller.abort();

  await assert.rejects(pause, { name: "SessionToolsError", code: Code.Canceled });
  assert.equal(timers(), before);
});

test("a pause does not begin when its signal has ended", async () => {
  const pause = pausing.sleep(60_000, AbortSignal.abort());

  await assert.rejects(pause, { name: "SessionToolsError", code: Code.Canceled });
});

test("a pause that is over listens to its signal no longer", async () => {
  const { signal } = new AbortController();

  await pausing.sleep(1, signal);

  assert.deepEqual(getEventListeners(signal, "abort"), []);
});

test("a scope ends with the signal around it, and for its reason", () => {
  const outer = new AbortController();
  const scope = new Scope(outer.signal);

  outer.abort("enough");

  assert.equal(scope.signal.reason, "enough");
  assert.equal(new Scope(outer.signal).signal.reason, "enough");
});

test("a scope that has ended lets go of its timer and of the signal around it", () => {
  const before = timers();
  const { signal } = new AbortController();

  new Scope(signal, 60_000).end();

  assert.deepEqual(getEventListeners(signal, "abort"), []);
  assert.equal(timers(), before);
});

test("a time that no timer can wait for is not over at once", async () => {
  const scope = new Scope(undefined, 2 ** 40);

  await pausing.sleep(5);

  assert.equal(scope.signal.aborted, false);
  scope.end();
});
