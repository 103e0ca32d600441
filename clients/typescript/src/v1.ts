/**
 * The generated contract: messages, enums and service descriptions.
 *
 * @module
 */
export * from "./gen/sessiontools/v1/agent_pb.js";
export * from "./gen/sessiontools/v1/delivery_pb.js";
export * from "./gen/sessiontools/v1/error_reason_pb.js";
export * from "./gen/sessiontools/v1/gateway_service_pb.js";
export * from "./gen/sessiontools/v1/message_pb.js";
export * from "./gen/sessiontools/v1/run_pb.js";
export * from "./gen/sessiontools/v1/runtime_service_pb.js";
export * from "./gen/sessiontools/v1/session_pb.js";
export * from "./gen/sessiontools/v1/session_tools_service_pb.js";
