package dev.sessiontools.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * SessionToolsService is what an agent may do: find sessions, read them, send to them, wait for answers, and spawn
 * sub-agents. Owners, gateways and agents may call it; an agent is the holder of a run token and acts from the session
 * of that run, within its tool policy (TOOL_DENIED). Owners and gateways may act as a session with the request metadata
 * `acting-session`. What a caller may not see does not exist for it.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class SessionToolsServiceGrpc {

  private SessionToolsServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "sessiontools.v1.SessionToolsService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsListRequest,
      dev.sessiontools.v1.SessionsListResponse> getSessionsListMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SessionsList",
      requestType = dev.sessiontools.v1.SessionsListRequest.class,
      responseType = dev.sessiontools.v1.SessionsListResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsListRequest,
      dev.sessiontools.v1.SessionsListResponse> getSessionsListMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsListRequest, dev.sessiontools.v1.SessionsListResponse> getSessionsListMethod;
    if ((getSessionsListMethod = SessionToolsServiceGrpc.getSessionsListMethod) == null) {
      synchronized (SessionToolsServiceGrpc.class) {
        if ((getSessionsListMethod = SessionToolsServiceGrpc.getSessionsListMethod) == null) {
          SessionToolsServiceGrpc.getSessionsListMethod = getSessionsListMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.SessionsListRequest, dev.sessiontools.v1.SessionsListResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SessionsList"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.SessionsListRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.SessionsListResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SessionToolsServiceMethodDescriptorSupplier("SessionsList"))
              .build();
        }
      }
    }
    return getSessionsListMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsHistoryRequest,
      dev.sessiontools.v1.SessionsHistoryResponse> getSessionsHistoryMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SessionsHistory",
      requestType = dev.sessiontools.v1.SessionsHistoryRequest.class,
      responseType = dev.sessiontools.v1.SessionsHistoryResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsHistoryRequest,
      dev.sessiontools.v1.SessionsHistoryResponse> getSessionsHistoryMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsHistoryRequest, dev.sessiontools.v1.SessionsHistoryResponse> getSessionsHistoryMethod;
    if ((getSessionsHistoryMethod = SessionToolsServiceGrpc.getSessionsHistoryMethod) == null) {
      synchronized (SessionToolsServiceGrpc.class) {
        if ((getSessionsHistoryMethod = SessionToolsServiceGrpc.getSessionsHistoryMethod) == null) {
          SessionToolsServiceGrpc.getSessionsHistoryMethod = getSessionsHistoryMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.SessionsHistoryRequest, dev.sessiontools.v1.SessionsHistoryResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SessionsHistory"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.SessionsHistoryRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.SessionsHistoryResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SessionToolsServiceMethodDescriptorSupplier("SessionsHistory"))
              .build();
        }
      }
    }
    return getSessionsHistoryMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsSendRequest,
      dev.sessiontools.v1.SessionsSendResponse> getSessionsSendMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SessionsSend",
      requestType = dev.sessiontools.v1.SessionsSendRequest.class,
      responseType = dev.sessiontools.v1.SessionsSendResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsSendRequest,
      dev.sessiontools.v1.SessionsSendResponse> getSessionsSendMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsSendRequest, dev.sessiontools.v1.SessionsSendResponse> getSessionsSendMethod;
    if ((getSessionsSendMethod = SessionToolsServiceGrpc.getSessionsSendMethod) == null) {
      synchronized (SessionToolsServiceGrpc.class) {
        if ((getSessionsSendMethod = SessionToolsServiceGrpc.getSessionsSendMethod) == null) {
          SessionToolsServiceGrpc.getSessionsSendMethod = getSessionsSendMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.SessionsSendRequest, dev.sessiontools.v1.SessionsSendResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SessionsSend"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.SessionsSendRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.SessionsSendResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SessionToolsServiceMethodDescriptorSupplier("SessionsSend"))
              .build();
        }
      }
    }
    return getSessionsSendMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsSpawnRequest,
      dev.sessiontools.v1.SessionsSpawnResponse> getSessionsSpawnMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SessionsSpawn",
      requestType = dev.sessiontools.v1.SessionsSpawnRequest.class,
      responseType = dev.sessiontools.v1.SessionsSpawnResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsSpawnRequest,
      dev.sessiontools.v1.SessionsSpawnResponse> getSessionsSpawnMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsSpawnRequest, dev.sessiontools.v1.SessionsSpawnResponse> getSessionsSpawnMethod;
    if ((getSessionsSpawnMethod = SessionToolsServiceGrpc.getSessionsSpawnMethod) == null) {
      synchronized (SessionToolsServiceGrpc.class) {
        if ((getSessionsSpawnMethod = SessionToolsServiceGrpc.getSessionsSpawnMethod) == null) {
          SessionToolsServiceGrpc.getSessionsSpawnMethod = getSessionsSpawnMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.SessionsSpawnRequest, dev.sessiontools.v1.SessionsSpawnResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SessionsSpawn"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.SessionsSpawnRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.SessionsSpawnResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SessionToolsServiceMethodDescriptorSupplier("SessionsSpawn"))
              .build();
        }
      }
    }
    return getSessionsSpawnMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.AgentsListRequest,
      dev.sessiontools.v1.AgentsListResponse> getAgentsListMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "AgentsList",
      requestType = dev.sessiontools.v1.AgentsListRequest.class,
      responseType = dev.sessiontools.v1.AgentsListResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.AgentsListRequest,
      dev.sessiontools.v1.AgentsListResponse> getAgentsListMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.AgentsListRequest, dev.sessiontools.v1.AgentsListResponse> getAgentsListMethod;
    if ((getAgentsListMethod = SessionToolsServiceGrpc.getAgentsListMethod) == null) {
      synchronized (SessionToolsServiceGrpc.class) {
        if ((getAgentsListMethod = SessionToolsServiceGrpc.getAgentsListMethod) == null) {
          SessionToolsServiceGrpc.getAgentsListMethod = getAgentsListMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.AgentsListRequest, dev.sessiontools.v1.AgentsListResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "AgentsList"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.AgentsListRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.AgentsListResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SessionToolsServiceMethodDescriptorSupplier("AgentsList"))
              .build();
        }
      }
    }
    return getAgentsListMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.GetRunRequest,
      dev.sessiontools.v1.GetRunResponse> getGetRunMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetRun",
      requestType = dev.sessiontools.v1.GetRunRequest.class,
      responseType = dev.sessiontools.v1.GetRunResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.GetRunRequest,
      dev.sessiontools.v1.GetRunResponse> getGetRunMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.GetRunRequest, dev.sessiontools.v1.GetRunResponse> getGetRunMethod;
    if ((getGetRunMethod = SessionToolsServiceGrpc.getGetRunMethod) == null) {
      synchronized (SessionToolsServiceGrpc.class) {
        if ((getGetRunMethod = SessionToolsServiceGrpc.getGetRunMethod) == null) {
          SessionToolsServiceGrpc.getGetRunMethod = getGetRunMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.GetRunRequest, dev.sessiontools.v1.GetRunResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetRun"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.GetRunRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.GetRunResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SessionToolsServiceMethodDescriptorSupplier("GetRun"))
              .build();
        }
      }
    }
    return getGetRunMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.WaitRunRequest,
      dev.sessiontools.v1.WaitRunResponse> getWaitRunMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "WaitRun",
      requestType = dev.sessiontools.v1.WaitRunRequest.class,
      responseType = dev.sessiontools.v1.WaitRunResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.WaitRunRequest,
      dev.sessiontools.v1.WaitRunResponse> getWaitRunMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.WaitRunRequest, dev.sessiontools.v1.WaitRunResponse> getWaitRunMethod;
    if ((getWaitRunMethod = SessionToolsServiceGrpc.getWaitRunMethod) == null) {
      synchronized (SessionToolsServiceGrpc.class) {
        if ((getWaitRunMethod = SessionToolsServiceGrpc.getWaitRunMethod) == null) {
          SessionToolsServiceGrpc.getWaitRunMethod = getWaitRunMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.WaitRunRequest, dev.sessiontools.v1.WaitRunResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "WaitRun"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.WaitRunRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.WaitRunResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SessionToolsServiceMethodDescriptorSupplier("WaitRun"))
              .build();
        }
      }
    }
    return getWaitRunMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.WaitRunsRequest,
      dev.sessiontools.v1.WaitRunsResponse> getWaitRunsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "WaitRuns",
      requestType = dev.sessiontools.v1.WaitRunsRequest.class,
      responseType = dev.sessiontools.v1.WaitRunsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.WaitRunsRequest,
      dev.sessiontools.v1.WaitRunsResponse> getWaitRunsMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.WaitRunsRequest, dev.sessiontools.v1.WaitRunsResponse> getWaitRunsMethod;
    if ((getWaitRunsMethod = SessionToolsServiceGrpc.getWaitRunsMethod) == null) {
      synchronized (SessionToolsServiceGrpc.class) {
        if ((getWaitRunsMethod = SessionToolsServiceGrpc.getWaitRunsMethod) == null) {
          SessionToolsServiceGrpc.getWaitRunsMethod = getWaitRunsMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.WaitRunsRequest, dev.sessiontools.v1.WaitRunsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "WaitRuns"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.WaitRunsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.WaitRunsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SessionToolsServiceMethodDescriptorSupplier("WaitRuns"))
              .build();
        }
      }
    }
    return getWaitRunsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.CancelRunRequest,
      dev.sessiontools.v1.CancelRunResponse> getCancelRunMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CancelRun",
      requestType = dev.sessiontools.v1.CancelRunRequest.class,
      responseType = dev.sessiontools.v1.CancelRunResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.CancelRunRequest,
      dev.sessiontools.v1.CancelRunResponse> getCancelRunMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.CancelRunRequest, dev.sessiontools.v1.CancelRunResponse> getCancelRunMethod;
    if ((getCancelRunMethod = SessionToolsServiceGrpc.getCancelRunMethod) == null) {
      synchronized (SessionToolsServiceGrpc.class) {
        if ((getCancelRunMethod = SessionToolsServiceGrpc.getCancelRunMethod) == null) {
          SessionToolsServiceGrpc.getCancelRunMethod = getCancelRunMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.CancelRunRequest, dev.sessiontools.v1.CancelRunResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CancelRun"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.CancelRunRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.CancelRunResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SessionToolsServiceMethodDescriptorSupplier("CancelRun"))
              .build();
        }
      }
    }
    return getCancelRunMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static SessionToolsServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SessionToolsServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SessionToolsServiceStub>() {
        @java.lang.Override
        public SessionToolsServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SessionToolsServiceStub(channel, callOptions);
        }
      };
    return SessionToolsServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static SessionToolsServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SessionToolsServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SessionToolsServiceBlockingV2Stub>() {
        @java.lang.Override
        public SessionToolsServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SessionToolsServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return SessionToolsServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static SessionToolsServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SessionToolsServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SessionToolsServiceBlockingStub>() {
        @java.lang.Override
        public SessionToolsServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SessionToolsServiceBlockingStub(channel, callOptions);
        }
      };
    return SessionToolsServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static SessionToolsServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SessionToolsServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SessionToolsServiceFutureStub>() {
        @java.lang.Override
        public SessionToolsServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SessionToolsServiceFutureStub(channel, callOptions);
        }
      };
    return SessionToolsServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * SessionToolsService is what an agent may do: find sessions, read them, send to them, wait for answers, and spawn
   * sub-agents. Owners, gateways and agents may call it; an agent is the holder of a run token and acts from the session
   * of that run, within its tool policy (TOOL_DENIED). Owners and gateways may act as a session with the request metadata
   * `acting-session`. What a caller may not see does not exist for it.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * SessionsList lists the sessions that the caller may see, the latest updated first.
     * </pre>
     */
    default void sessionsList(dev.sessiontools.v1.SessionsListRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsListResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSessionsListMethod(), responseObserver);
    }

    /**
     * <pre>
     * SessionsHistory reads the transcript of one session, the newest part first, each page oldest to newest. An unknown
     * session is SESSION_NOT_FOUND, never an empty answer.
     * </pre>
     */
    default void sessionsHistory(dev.sessiontools.v1.SessionsHistoryRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsHistoryResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSessionsHistoryMethod(), responseObserver);
    }

    /**
     * <pre>
     * SessionsSend sends a message to a session and, unless told otherwise, waits for the reply. The run goes on whatever
     * becomes of the wait, the caller or the server. Refused, in this order, with SESSION_NOT_FOUND,
     * AGENT_TO_AGENT_DENIED, SEND_POLICY_DENIED, and TRACE_BUDGET or QUEUE_FULL; with WAIT_CYCLE when the wait could
     * never end. That the run failed is not an error of the call: see status.
     * </pre>
     */
    default void sessionsSend(dev.sessiontools.v1.SessionsSendRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsSendResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSessionsSendMethod(), responseObserver);
    }

    /**
     * <pre>
     * SessionsSpawn starts a sub-agent in a session of its own and returns at once. When the task has ended, however it
     * ended, the outcome is announced to the requester. Refused with SUBAGENT_SPAWN, AGENT_NOT_FOUND, AGENT_NOT_ALLOWED,
     * MODEL_UNKNOWN, SEND_POLICY_DENIED, CHILD_LIMIT or TRACE_BUDGET.
     * </pre>
     */
    default void sessionsSpawn(dev.sessiontools.v1.SessionsSpawnRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsSpawnResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSessionsSpawnMethod(), responseObserver);
    }

    /**
     * <pre>
     * AgentsList lists the agents that the caller may spawn under: its own first, then the others by id.
     * </pre>
     */
    default void agentsList(dev.sessiontools.v1.AgentsListRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.AgentsListResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getAgentsListMethod(), responseObserver);
    }

    /**
     * <pre>
     * GetRun reads a run, if asked after waiting for it to change. RUN_NOT_FOUND, and WAIT_CYCLE or WAIT_LIMIT when it
     * would wait.
     * </pre>
     */
    default void getRun(dev.sessiontools.v1.GetRunRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.GetRunResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetRunMethod(), responseObserver);
    }

    /**
     * <pre>
     * WaitRun follows a run: a snapshot, then every event after the cursor in order, without gap or repeat, and last
     * `ended`. A finished run is replayed and ended. A stream that stops without `ended` was cut and is resumed, on any
     * replica, with the last cursor. A failed run is no error of the call. RUN_NOT_FOUND, CURSOR_MISMATCH, WAIT_CYCLE,
     * WAIT_LIMIT.
     * </pre>
     */
    default void waitRun(dev.sessiontools.v1.WaitRunRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.WaitRunResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getWaitRunMethod(), responseObserver);
    }

    /**
     * <pre>
     * WaitRuns follows up to 100 runs in one stream, each as WaitRun does, until one or all of them are there. The errors
     * are those of WaitRun, for any of the runs.
     * </pre>
     */
    default void waitRuns(dev.sessiontools.v1.WaitRunsRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.WaitRunsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getWaitRunsMethod(), responseObserver);
    }

    /**
     * <pre>
     * CancelRun stops a run and the runs that it caused. A run being executed is told and has a short grace; a queued one
     * ends at once; a finished one is left as it is, without an error. RUN_NOT_FOUND.
     * </pre>
     */
    default void cancelRun(dev.sessiontools.v1.CancelRunRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.CancelRunResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCancelRunMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service SessionToolsService.
   * <pre>
   * SessionToolsService is what an agent may do: find sessions, read them, send to them, wait for answers, and spawn
   * sub-agents. Owners, gateways and agents may call it; an agent is the holder of a run token and acts from the session
   * of that run, within its tool policy (TOOL_DENIED). Owners and gateways may act as a session with the request metadata
   * `acting-session`. What a caller may not see does not exist for it.
   * </pre>
   */
  public static abstract class SessionToolsServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return SessionToolsServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service SessionToolsService.
   * <pre>
   * SessionToolsService is what an agent may do: find sessions, read them, send to them, wait for answers, and spawn
   * sub-agents. Owners, gateways and agents may call it; an agent is the holder of a run token and acts from the session
   * of that run, within its tool policy (TOOL_DENIED). Owners and gateways may act as a session with the request metadata
   * `acting-session`. What a caller may not see does not exist for it.
   * </pre>
   */
  public static final class SessionToolsServiceStub
      extends io.grpc.stub.AbstractAsyncStub<SessionToolsServiceStub> {
    private SessionToolsServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SessionToolsServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SessionToolsServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * SessionsList lists the sessions that the caller may see, the latest updated first.
     * </pre>
     */
    public void sessionsList(dev.sessiontools.v1.SessionsListRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsListResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSessionsListMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * SessionsHistory reads the transcript of one session, the newest part first, each page oldest to newest. An unknown
     * session is SESSION_NOT_FOUND, never an empty answer.
     * </pre>
     */
    public void sessionsHistory(dev.sessiontools.v1.SessionsHistoryRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsHistoryResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSessionsHistoryMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * SessionsSend sends a message to a session and, unless told otherwise, waits for the reply. The run goes on whatever
     * becomes of the wait, the caller or the server. Refused, in this order, with SESSION_NOT_FOUND,
     * AGENT_TO_AGENT_DENIED, SEND_POLICY_DENIED, and TRACE_BUDGET or QUEUE_FULL; with WAIT_CYCLE when the wait could
     * never end. That the run failed is not an error of the call: see status.
     * </pre>
     */
    public void sessionsSend(dev.sessiontools.v1.SessionsSendRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsSendResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSessionsSendMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * SessionsSpawn starts a sub-agent in a session of its own and returns at once. When the task has ended, however it
     * ended, the outcome is announced to the requester. Refused with SUBAGENT_SPAWN, AGENT_NOT_FOUND, AGENT_NOT_ALLOWED,
     * MODEL_UNKNOWN, SEND_POLICY_DENIED, CHILD_LIMIT or TRACE_BUDGET.
     * </pre>
     */
    public void sessionsSpawn(dev.sessiontools.v1.SessionsSpawnRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsSpawnResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSessionsSpawnMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * AgentsList lists the agents that the caller may spawn under: its own first, then the others by id.
     * </pre>
     */
    public void agentsList(dev.sessiontools.v1.AgentsListRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.AgentsListResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getAgentsListMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * GetRun reads a run, if asked after waiting for it to change. RUN_NOT_FOUND, and WAIT_CYCLE or WAIT_LIMIT when it
     * would wait.
     * </pre>
     */
    public void getRun(dev.sessiontools.v1.GetRunRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.GetRunResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetRunMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * WaitRun follows a run: a snapshot, then every event after the cursor in order, without gap or repeat, and last
     * `ended`. A finished run is replayed and ended. A stream that stops without `ended` was cut and is resumed, on any
     * replica, with the last cursor. A failed run is no error of the call. RUN_NOT_FOUND, CURSOR_MISMATCH, WAIT_CYCLE,
     * WAIT_LIMIT.
     * </pre>
     */
    public void waitRun(dev.sessiontools.v1.WaitRunRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.WaitRunResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getWaitRunMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * WaitRuns follows up to 100 runs in one stream, each as WaitRun does, until one or all of them are there. The errors
     * are those of WaitRun, for any of the runs.
     * </pre>
     */
    public void waitRuns(dev.sessiontools.v1.WaitRunsRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.WaitRunsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getWaitRunsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * CancelRun stops a run and the runs that it caused. A run being executed is told and has a short grace; a queued one
     * ends at once; a finished one is left as it is, without an error. RUN_NOT_FOUND.
     * </pre>
     */
    public void cancelRun(dev.sessiontools.v1.CancelRunRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.CancelRunResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCancelRunMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service SessionToolsService.
   * <pre>
   * SessionToolsService is what an agent may do: find sessions, read them, send to them, wait for answers, and spawn
   * sub-agents. Owners, gateways and agents may call it; an agent is the holder of a run token and acts from the session
   * of that run, within its tool policy (TOOL_DENIED). Owners and gateways may act as a session with the request metadata
   * `acting-session`. What a caller may not see does not exist for it.
   * </pre>
   */
  public static final class SessionToolsServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<SessionToolsServiceBlockingV2Stub> {
    private SessionToolsServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SessionToolsServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SessionToolsServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * SessionsList lists the sessions that the caller may see, the latest updated first.
     * </pre>
     */
    public dev.sessiontools.v1.SessionsListResponse sessionsList(dev.sessiontools.v1.SessionsListRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSessionsListMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * SessionsHistory reads the transcript of one session, the newest part first, each page oldest to newest. An unknown
     * session is SESSION_NOT_FOUND, never an empty answer.
     * </pre>
     */
    public dev.sessiontools.v1.SessionsHistoryResponse sessionsHistory(dev.sessiontools.v1.SessionsHistoryRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSessionsHistoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * SessionsSend sends a message to a session and, unless told otherwise, waits for the reply. The run goes on whatever
     * becomes of the wait, the caller or the server. Refused, in this order, with SESSION_NOT_FOUND,
     * AGENT_TO_AGENT_DENIED, SEND_POLICY_DENIED, and TRACE_BUDGET or QUEUE_FULL; with WAIT_CYCLE when the wait could
     * never end. That the run failed is not an error of the call: see status.
     * </pre>
     */
    public dev.sessiontools.v1.SessionsSendResponse sessionsSend(dev.sessiontools.v1.SessionsSendRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSessionsSendMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * SessionsSpawn starts a sub-agent in a session of its own and returns at once. When the task has ended, however it
     * ended, the outcome is announced to the requester. Refused with SUBAGENT_SPAWN, AGENT_NOT_FOUND, AGENT_NOT_ALLOWED,
     * MODEL_UNKNOWN, SEND_POLICY_DENIED, CHILD_LIMIT or TRACE_BUDGET.
     * </pre>
     */
    public dev.sessiontools.v1.SessionsSpawnResponse sessionsSpawn(dev.sessiontools.v1.SessionsSpawnRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSessionsSpawnMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * AgentsList lists the agents that the caller may spawn under: its own first, then the others by id.
     * </pre>
     */
    public dev.sessiontools.v1.AgentsListResponse agentsList(dev.sessiontools.v1.AgentsListRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getAgentsListMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * GetRun reads a run, if asked after waiting for it to change. RUN_NOT_FOUND, and WAIT_CYCLE or WAIT_LIMIT when it
     * would wait.
     * </pre>
     */
    public dev.sessiontools.v1.GetRunResponse getRun(dev.sessiontools.v1.GetRunRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetRunMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * WaitRun follows a run: a snapshot, then every event after the cursor in order, without gap or repeat, and last
     * `ended`. A finished run is replayed and ended. A stream that stops without `ended` was cut and is resumed, on any
     * replica, with the last cursor. A failed run is no error of the call. RUN_NOT_FOUND, CURSOR_MISMATCH, WAIT_CYCLE,
     * WAIT_LIMIT.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.sessiontools.v1.WaitRunResponse>
        waitRun(dev.sessiontools.v1.WaitRunRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getWaitRunMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * WaitRuns follows up to 100 runs in one stream, each as WaitRun does, until one or all of them are there. The errors
     * are those of WaitRun, for any of the runs.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.sessiontools.v1.WaitRunsResponse>
        waitRuns(dev.sessiontools.v1.WaitRunsRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getWaitRunsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * CancelRun stops a run and the runs that it caused. A run being executed is told and has a short grace; a queued one
     * ends at once; a finished one is left as it is, without an error. RUN_NOT_FOUND.
     * </pre>
     */
    public dev.sessiontools.v1.CancelRunResponse cancelRun(dev.sessiontools.v1.CancelRunRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCancelRunMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service SessionToolsService.
   * <pre>
   * SessionToolsService is what an agent may do: find sessions, read them, send to them, wait for answers, and spawn
   * sub-agents. Owners, gateways and agents may call it; an agent is the holder of a run token and acts from the session
   * of that run, within its tool policy (TOOL_DENIED). Owners and gateways may act as a session with the request metadata
   * `acting-session`. What a caller may not see does not exist for it.
   * </pre>
   */
  public static final class SessionToolsServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<SessionToolsServiceBlockingStub> {
    private SessionToolsServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SessionToolsServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SessionToolsServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * SessionsList lists the sessions that the caller may see, the latest updated first.
     * </pre>
     */
    public dev.sessiontools.v1.SessionsListResponse sessionsList(dev.sessiontools.v1.SessionsListRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSessionsListMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * SessionsHistory reads the transcript of one session, the newest part first, each page oldest to newest. An unknown
     * session is SESSION_NOT_FOUND, never an empty answer.
     * </pre>
     */
    public dev.sessiontools.v1.SessionsHistoryResponse sessionsHistory(dev.sessiontools.v1.SessionsHistoryRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSessionsHistoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * SessionsSend sends a message to a session and, unless told otherwise, waits for the reply. The run goes on whatever
     * becomes of the wait, the caller or the server. Refused, in this order, with SESSION_NOT_FOUND,
     * AGENT_TO_AGENT_DENIED, SEND_POLICY_DENIED, and TRACE_BUDGET or QUEUE_FULL; with WAIT_CYCLE when the wait could
     * never end. That the run failed is not an error of the call: see status.
     * </pre>
     */
    public dev.sessiontools.v1.SessionsSendResponse sessionsSend(dev.sessiontools.v1.SessionsSendRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSessionsSendMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * SessionsSpawn starts a sub-agent in a session of its own and returns at once. When the task has ended, however it
     * ended, the outcome is announced to the requester. Refused with SUBAGENT_SPAWN, AGENT_NOT_FOUND, AGENT_NOT_ALLOWED,
     * MODEL_UNKNOWN, SEND_POLICY_DENIED, CHILD_LIMIT or TRACE_BUDGET.
     * </pre>
     */
    public dev.sessiontools.v1.SessionsSpawnResponse sessionsSpawn(dev.sessiontools.v1.SessionsSpawnRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSessionsSpawnMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * AgentsList lists the agents that the caller may spawn under: its own first, then the others by id.
     * </pre>
     */
    public dev.sessiontools.v1.AgentsListResponse agentsList(dev.sessiontools.v1.AgentsListRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getAgentsListMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * GetRun reads a run, if asked after waiting for it to change. RUN_NOT_FOUND, and WAIT_CYCLE or WAIT_LIMIT when it
     * would wait.
     * </pre>
     */
    public dev.sessiontools.v1.GetRunResponse getRun(dev.sessiontools.v1.GetRunRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetRunMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * WaitRun follows a run: a snapshot, then every event after the cursor in order, without gap or repeat, and last
     * `ended`. A finished run is replayed and ended. A stream that stops without `ended` was cut and is resumed, on any
     * replica, with the last cursor. A failed run is no error of the call. RUN_NOT_FOUND, CURSOR_MISMATCH, WAIT_CYCLE,
     * WAIT_LIMIT.
     * </pre>
     */
    public java.util.Iterator<dev.sessiontools.v1.WaitRunResponse> waitRun(
        dev.sessiontools.v1.WaitRunRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getWaitRunMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * WaitRuns follows up to 100 runs in one stream, each as WaitRun does, until one or all of them are there. The errors
     * are those of WaitRun, for any of the runs.
     * </pre>
     */
    public java.util.Iterator<dev.sessiontools.v1.WaitRunsResponse> waitRuns(
        dev.sessiontools.v1.WaitRunsRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getWaitRunsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * CancelRun stops a run and the runs that it caused. A run being executed is told and has a short grace; a queued one
     * ends at once; a finished one is left as it is, without an error. RUN_NOT_FOUND.
     * </pre>
     */
    public dev.sessiontools.v1.CancelRunResponse cancelRun(dev.sessiontools.v1.CancelRunRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCancelRunMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service SessionToolsService.
   * <pre>
   * SessionToolsService is what an agent may do: find sessions, read them, send to them, wait for answers, and spawn
   * sub-agents. Owners, gateways and agents may call it; an agent is the holder of a run token and acts from the session
   * of that run, within its tool policy (TOOL_DENIED). Owners and gateways may act as a session with the request metadata
   * `acting-session`. What a caller may not see does not exist for it.
   * </pre>
   */
  public static final class SessionToolsServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<SessionToolsServiceFutureStub> {
    private SessionToolsServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SessionToolsServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SessionToolsServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * SessionsList lists the sessions that the caller may see, the latest updated first.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.SessionsListResponse> sessionsList(
        dev.sessiontools.v1.SessionsListRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSessionsListMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * SessionsHistory reads the transcript of one session, the newest part first, each page oldest to newest. An unknown
     * session is SESSION_NOT_FOUND, never an empty answer.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.SessionsHistoryResponse> sessionsHistory(
        dev.sessiontools.v1.SessionsHistoryRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSessionsHistoryMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * SessionsSend sends a message to a session and, unless told otherwise, waits for the reply. The run goes on whatever
     * becomes of the wait, the caller or the server. Refused, in this order, with SESSION_NOT_FOUND,
     * AGENT_TO_AGENT_DENIED, SEND_POLICY_DENIED, and TRACE_BUDGET or QUEUE_FULL; with WAIT_CYCLE when the wait could
     * never end. That the run failed is not an error of the call: see status.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.SessionsSendResponse> sessionsSend(
        dev.sessiontools.v1.SessionsSendRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSessionsSendMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * SessionsSpawn starts a sub-agent in a session of its own and returns at once. When the task has ended, however it
     * ended, the outcome is announced to the requester. Refused with SUBAGENT_SPAWN, AGENT_NOT_FOUND, AGENT_NOT_ALLOWED,
     * MODEL_UNKNOWN, SEND_POLICY_DENIED, CHILD_LIMIT or TRACE_BUDGET.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.SessionsSpawnResponse> sessionsSpawn(
        dev.sessiontools.v1.SessionsSpawnRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSessionsSpawnMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * AgentsList lists the agents that the caller may spawn under: its own first, then the others by id.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.AgentsListResponse> agentsList(
        dev.sessiontools.v1.AgentsListRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getAgentsListMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * GetRun reads a run, if asked after waiting for it to change. RUN_NOT_FOUND, and WAIT_CYCLE or WAIT_LIMIT when it
     * would wait.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.GetRunResponse> getRun(
        dev.sessiontools.v1.GetRunRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetRunMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * CancelRun stops a run and the runs that it caused. A run being executed is told and has a short grace; a queued one
     * ends at once; a finished one is left as it is, without an error. RUN_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.CancelRunResponse> cancelRun(
        dev.sessiontools.v1.CancelRunRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCancelRunMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_SESSIONS_LIST = 0;
  private static final int METHODID_SESSIONS_HISTORY = 1;
  private static final int METHODID_SESSIONS_SEND = 2;
  private static final int METHODID_SESSIONS_SPAWN = 3;
  private static final int METHODID_AGENTS_LIST = 4;
  private static final int METHODID_GET_RUN = 5;
  private static final int METHODID_WAIT_RUN = 6;
  private static final int METHODID_WAIT_RUNS = 7;
  private static final int METHODID_CANCEL_RUN = 8;

  private static final class MethodHandlers<Req, Resp> implements
      io.grpc.stub.ServerCalls.UnaryMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ServerStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ClientStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.BidiStreamingMethod<Req, Resp> {
    private final AsyncService serviceImpl;
    private final int methodId;

    MethodHandlers(AsyncService serviceImpl, int methodId) {
      this.serviceImpl = serviceImpl;
      this.methodId = methodId;
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public void invoke(Req request, io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        case METHODID_SESSIONS_LIST:
          serviceImpl.sessionsList((dev.sessiontools.v1.SessionsListRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsListResponse>) responseObserver);
          break;
        case METHODID_SESSIONS_HISTORY:
          serviceImpl.sessionsHistory((dev.sessiontools.v1.SessionsHistoryRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsHistoryResponse>) responseObserver);
          break;
        case METHODID_SESSIONS_SEND:
          serviceImpl.sessionsSend((dev.sessiontools.v1.SessionsSendRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsSendResponse>) responseObserver);
          break;
        case METHODID_SESSIONS_SPAWN:
          serviceImpl.sessionsSpawn((dev.sessiontools.v1.SessionsSpawnRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsSpawnResponse>) responseObserver);
          break;
        case METHODID_AGENTS_LIST:
          serviceImpl.agentsList((dev.sessiontools.v1.AgentsListRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.AgentsListResponse>) responseObserver);
          break;
        case METHODID_GET_RUN:
          serviceImpl.getRun((dev.sessiontools.v1.GetRunRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.GetRunResponse>) responseObserver);
          break;
        case METHODID_WAIT_RUN:
          serviceImpl.waitRun((dev.sessiontools.v1.WaitRunRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.WaitRunResponse>) responseObserver);
          break;
        case METHODID_WAIT_RUNS:
          serviceImpl.waitRuns((dev.sessiontools.v1.WaitRunsRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.WaitRunsResponse>) responseObserver);
          break;
        case METHODID_CANCEL_RUN:
          serviceImpl.cancelRun((dev.sessiontools.v1.CancelRunRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.CancelRunResponse>) responseObserver);
          break;
        default:
          throw new AssertionError();
      }
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public io.grpc.stub.StreamObserver<Req> invoke(
        io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getSessionsListMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.SessionsListRequest,
              dev.sessiontools.v1.SessionsListResponse>(
                service, METHODID_SESSIONS_LIST)))
        .addMethod(
          getSessionsHistoryMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.SessionsHistoryRequest,
              dev.sessiontools.v1.SessionsHistoryResponse>(
                service, METHODID_SESSIONS_HISTORY)))
        .addMethod(
          getSessionsSendMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.SessionsSendRequest,
              dev.sessiontools.v1.SessionsSendResponse>(
                service, METHODID_SESSIONS_SEND)))
        .addMethod(
          getSessionsSpawnMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.SessionsSpawnRequest,
              dev.sessiontools.v1.SessionsSpawnResponse>(
                service, METHODID_SESSIONS_SPAWN)))
        .addMethod(
          getAgentsListMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.AgentsListRequest,
              dev.sessiontools.v1.AgentsListResponse>(
                service, METHODID_AGENTS_LIST)))
        .addMethod(
          getGetRunMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.GetRunRequest,
              dev.sessiontools.v1.GetRunResponse>(
                service, METHODID_GET_RUN)))
        .addMethod(
          getWaitRunMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.sessiontools.v1.WaitRunRequest,
              dev.sessiontools.v1.WaitRunResponse>(
                service, METHODID_WAIT_RUN)))
        .addMethod(
          getWaitRunsMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.sessiontools.v1.WaitRunsRequest,
              dev.sessiontools.v1.WaitRunsResponse>(
                service, METHODID_WAIT_RUNS)))
        .addMethod(
          getCancelRunMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.CancelRunRequest,
              dev.sessiontools.v1.CancelRunResponse>(
                service, METHODID_CANCEL_RUN)))
        .build();
  }

  private static abstract class SessionToolsServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    SessionToolsServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.sessiontools.v1.SessionToolsServiceOuterClass.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("SessionToolsService");
    }
  }

  private static final class SessionToolsServiceFileDescriptorSupplier
      extends SessionToolsServiceBaseDescriptorSupplier {
    SessionToolsServiceFileDescriptorSupplier() {}
  }

  private static final class SessionToolsServiceMethodDescriptorSupplier
      extends SessionToolsServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    SessionToolsServiceMethodDescriptorSupplier(java.lang.String methodName) {
      this.methodName = methodName;
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.MethodDescriptor getMethodDescriptor() {
      return getServiceDescriptor().findMethodByName(methodName);
    }
  }

  private static volatile io.grpc.ServiceDescriptor serviceDescriptor;

  public static io.grpc.ServiceDescriptor getServiceDescriptor() {
    io.grpc.ServiceDescriptor result = serviceDescriptor;
    if (result == null) {
      synchronized (SessionToolsServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new SessionToolsServiceFileDescriptorSupplier())
              .addMethod(getSessionsListMethod())
              .addMethod(getSessionsHistoryMethod())
              .addMethod(getSessionsSendMethod())
              .addMethod(getSessionsSpawnMethod())
              .addMethod(getAgentsListMethod())
              .addMethod(getGetRunMethod())
              .addMethod(getWaitRunMethod())
              .addMethod(getWaitRunsMethod())
              .addMethod(getCancelRunMethod())
              .build();
        }
      }
    }
    return result;
  }
}
