// The driver of the TypeScript client for the conformance cases: commands on standard input, answers on standard output.
import { createInterface } from "node:readline";

import { fromBinary, toBinary, type Message } from "@bufbuild/protobuf";
import { dial, type Client } from "@sessiontools/client";
import {
  GatewayService,
  RuntimeService,
  SessionToolsService,
  WaitRunsRequestSchema,
  WaitRunsResponseSchema,
} from "@sessiontools/client/v1";

import { done, failure, within, write, type Command } from "./lines.js";
import { Wait } from "./wait.js";

const methods = [SessionToolsService, GatewayService, RuntimeService].flatMap((service) => service.methods);
const waits = new Map<unknown, Wait>(); // by the id of the command that opened it
let client: Client | undefined;

/** Does what a command says; what it waits for holds up no other command. */
async function obey(command: Command): Promise<void> {
  switch (command.op) {
    case "dial":
      client?.close();
      client = dial(command.target, { plaintext: true, token: command.token, actingSession: command.acting_session });
      return write(command, done);
    case "call":
      return call(command);
    case "stream":
      return stream(command);
    case "wait":
      waits.set(command.id, new Wait(caller(command), command));
      return write(command, done);
    case "next":
      return waitOf(command).next(command);
    case "cancel":
      waitOf(command).cancel();
      return write(command, done);
    default:
      throw new Error(`unknown command ${command.op}`);
  }
}

/** The client with the credentials of a command. */
function caller({ token, acting_session }: Command): Client {
  if (client === undefined) {
    throw new Error("nothing was dialed");
  }
  const holder = token === undefined ? client : client.withToken(token);
  return acting_session === undefined ? holder : holder.actingAs(acting_session);
}

/** Makes a unary call. */
async function call(command: Command): Promise<void> {
  const method = methods.find((each) => each.name === command.method);
  if (method?.methodKind !== "unary") {
    throw new Error(`unknown method ${command.method}`);
  }
  const request = fromBinary(method.input, Buffer.from(command.request, "base64"));
  try {
    const response = await functionOf(caller(command), method.localName)(request, within(command));
    write(command, { response: Buffer.from(toBinary(method.output, response)).toString("base64") });
  } catch (error) {
    write(command, failure(error));
  }
}

/** Reads the answers of WaitRuns to their end. */
async function stream(command: Command): Promise<void> {
  const request = fromBinary(WaitRunsRequestSchema, Buffer.from(command.request, "base64"));
  try {
    for await (const event of caller(command).waitRuns(request, within(command))) {
      write(command, { event: Buffer.from(toBinary(WaitRunsResponseSchema, event)).toString("base64") });
    }
    write(command, done);
  } catch (error) {
    write(command, failure(error));
  }
}

/** The function of the client for a method; they are all alike, which the types do not know. */
function functionOf(client: Client, method: string) {
  type Call = (request: Message, options: { timeoutMs?: number }) => Promise<Message>;
  return client[method as keyof Client] as unknown as Call;
}

function waitOf(command: Command): Wait {
  const wait = waits.get(command.wait);
  if (wait === undefined) {
    throw new Error(`no wait ${command.wait} was opened`);
  }
  return wait;
}

/** Ends the driver: what fails here is never wrong unless the driver, or who commands it, is. */
function fault(error: unknown): void {
  console.error(error);
  process.exit(1);
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => void obey(JSON.parse(line) as Command).catch(fault));
lines.on("close", () => process.exit(0));
