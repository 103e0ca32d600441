/**
 * The Java client of Session Tools: list, read, send, wait and spawn across the sessions of AI
 * agents.
 *
 * <pre>{@code
 * try (var client = SessionTools.builder("localhost:50551").plaintext().build()) {
 *     var sent = client.sessionsSend(
 *             SessionsSendRequest.newBuilder().setSessionKey("main").setMessage("hello").build());
 * }
 * }</pre>
 *
 * <p>The package {@code dev.sessiontools.v1} holds the generated contract. {@link
 * dev.sessiontools.SessionTools} adds five things to it: a connection that notices when its server
 * is gone, credentials, a {@code request_id} where one is missing, a {@link
 * dev.sessiontools.WaitRun} that resumes by itself, and errors of type {@link
 * dev.sessiontools.SessionToolsException}.
 */
package dev.sessiontools;
