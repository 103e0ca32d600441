package dev.sessiontools.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * RuntimeService is for programs that execute the runs of agents configured with `runtime: "external"`. Runtimes and
 * owners may call it; others get ROLE_DENIED. A runtime holds a run by a lease: whoever has the latest lease token
 * may write, and every older token gets LEASE_LOST and changes nothing.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class RuntimeServiceGrpc {

  private RuntimeServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "sessiontools.v1.RuntimeService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.AcquireRunsRequest,
      dev.sessiontools.v1.AcquireRunsResponse> getAcquireRunsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "AcquireRuns",
      requestType = dev.sessiontools.v1.AcquireRunsRequest.class,
      responseType = dev.sessiontools.v1.AcquireRunsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.AcquireRunsRequest,
      dev.sessiontools.v1.AcquireRunsResponse> getAcquireRunsMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.AcquireRunsRequest, dev.sessiontools.v1.AcquireRunsResponse> getAcquireRunsMethod;
    if ((getAcquireRunsMethod = RuntimeServiceGrpc.getAcquireRunsMethod) == null) {
      synchronized (RuntimeServiceGrpc.class) {
        if ((getAcquireRunsMethod = RuntimeServiceGrpc.getAcquireRunsMethod) == null) {
          RuntimeServiceGrpc.getAcquireRunsMethod = getAcquireRunsMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.AcquireRunsRequest, dev.sessiontools.v1.AcquireRunsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "AcquireRuns"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.AcquireRunsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.AcquireRunsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new RuntimeServiceMethodDescriptorSupplier("AcquireRuns"))
              .build();
        }
      }
    }
    return getAcquireRunsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.HeartbeatRunsRequest,
      dev.sessiontools.v1.HeartbeatRunsResponse> getHeartbeatRunsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "HeartbeatRuns",
      requestType = dev.sessiontools.v1.HeartbeatRunsRequest.class,
      responseType = dev.sessiontools.v1.HeartbeatRunsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.HeartbeatRunsRequest,
      dev.sessiontools.v1.HeartbeatRunsResponse> getHeartbeatRunsMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.HeartbeatRunsRequest, dev.sessiontools.v1.HeartbeatRunsResponse> getHeartbeatRunsMethod;
    if ((getHeartbeatRunsMethod = RuntimeServiceGrpc.getHeartbeatRunsMethod) == null) {
      synchronized (RuntimeServiceGrpc.class) {
        if ((getHeartbeatRunsMethod = RuntimeServiceGrpc.getHeartbeatRunsMethod) == null) {
          RuntimeServiceGrpc.getHeartbeatRunsMethod = getHeartbeatRunsMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.HeartbeatRunsRequest, dev.sessiontools.v1.HeartbeatRunsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "HeartbeatRuns"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.HeartbeatRunsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.HeartbeatRunsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new RuntimeServiceMethodDescriptorSupplier("HeartbeatRuns"))
              .build();
        }
      }
    }
    return getHeartbeatRunsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.AppendRunEventsRequest,
      dev.sessiontools.v1.AppendRunEventsResponse> getAppendRunEventsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "AppendRunEvents",
      requestType = dev.sessiontools.v1.AppendRunEventsRequest.class,
      responseType = dev.sessiontools.v1.AppendRunEventsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.AppendRunEventsRequest,
      dev.sessiontools.v1.AppendRunEventsResponse> getAppendRunEventsMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.AppendRunEventsRequest, dev.sessiontools.v1.AppendRunEventsResponse> getAppendRunEventsMethod;
    if ((getAppendRunEventsMethod = RuntimeServiceGrpc.getAppendRunEventsMethod) == null) {
      synchronized (RuntimeServiceGrpc.class) {
        if ((getAppendRunEventsMethod = RuntimeServiceGrpc.getAppendRunEventsMethod) == null) {
          RuntimeServiceGrpc.getAppendRunEventsMethod = getAppendRunEventsMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.AppendRunEventsRequest, dev.sessiontools.v1.AppendRunEventsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "AppendRunEvents"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.AppendRunEventsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.AppendRunEventsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new RuntimeServiceMethodDescriptorSupplier("AppendRunEvents"))
              .build();
        }
      }
    }
    return getAppendRunEventsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.CompleteRunRequest,
      dev.sessiontools.v1.CompleteRunResponse> getCompleteRunMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CompleteRun",
      requestType = dev.sessiontools.v1.CompleteRunRequest.class,
      responseType = dev.sessiontools.v1.CompleteRunResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.CompleteRunRequest,
      dev.sessiontools.v1.CompleteRunResponse> getCompleteRunMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.CompleteRunRequest, dev.sessiontools.v1.CompleteRunResponse> getCompleteRunMethod;
    if ((getCompleteRunMethod = RuntimeServiceGrpc.getCompleteRunMethod) == null) {
      synchronized (RuntimeServiceGrpc.class) {
        if ((getCompleteRunMethod = RuntimeServiceGrpc.getCompleteRunMethod) == null) {
          RuntimeServiceGrpc.getCompleteRunMethod = getCompleteRunMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.CompleteRunRequest, dev.sessiontools.v1.CompleteRunResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CompleteRun"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.CompleteRunRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.CompleteRunResponse.getDefaultInstance()))
              .setSchemaDescriptor(new RuntimeServiceMethodDescriptorSupplier("CompleteRun"))
              .build();
        }
      }
    }
    return getCompleteRunMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.ReleaseRunRequest,
      dev.sessiontools.v1.ReleaseRunResponse> getReleaseRunMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ReleaseRun",
      requestType = dev.sessiontools.v1.ReleaseRunRequest.class,
      responseType = dev.sessiontools.v1.ReleaseRunResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.ReleaseRunRequest,
      dev.sessiontools.v1.ReleaseRunResponse> getReleaseRunMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.ReleaseRunRequest, dev.sessiontools.v1.ReleaseRunResponse> getReleaseRunMethod;
    if ((getReleaseRunMethod = RuntimeServiceGrpc.getReleaseRunMethod) == null) {
      synchronized (RuntimeServiceGrpc.class) {
        if ((getReleaseRunMethod = RuntimeServiceGrpc.getReleaseRunMethod) == null) {
          RuntimeServiceGrpc.getReleaseRunMethod = getReleaseRunMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.ReleaseRunRequest, dev.sessiontools.v1.ReleaseRunResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ReleaseRun"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.ReleaseRunRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.ReleaseRunResponse.getDefaultInstance()))
              .setSchemaDescriptor(new RuntimeServiceMethodDescriptorSupplier("ReleaseRun"))
              .build();
        }
      }
    }
    return getReleaseRunMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static RuntimeServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<RuntimeServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<RuntimeServiceStub>() {
        @java.lang.Override
        public RuntimeServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new RuntimeServiceStub(channel, callOptions);
        }
      };
    return RuntimeServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static RuntimeServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<RuntimeServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<RuntimeServiceBlockingV2Stub>() {
        @java.lang.Override
        public RuntimeServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new RuntimeServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return RuntimeServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static RuntimeServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<RuntimeServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<RuntimeServiceBlockingStub>() {
        @java.lang.Override
        public RuntimeServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new RuntimeServiceBlockingStub(channel, callOptions);
        }
      };
    return RuntimeServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static RuntimeServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<RuntimeServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<RuntimeServiceFutureStub>() {
        @java.lang.Override
        public RuntimeServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new RuntimeServiceFutureStub(channel, callOptions);
        }
      };
    return RuntimeServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * RuntimeService is for programs that execute the runs of agents configured with `runtime: "external"`. Runtimes and
   * owners may call it; others get ROLE_DENIED. A runtime holds a run by a lease: whoever has the latest lease token
   * may write, and every older token gets LEASE_LOST and changes nothing.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * AcquireRuns takes queued runs to execute. A long poll: an empty answer means to ask again.
     * </pre>
     */
    default void acquireRuns(dev.sessiontools.v1.AcquireRunsRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.AcquireRunsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getAcquireRunsMethod(), responseObserver);
    }

    /**
     * <pre>
     * HeartbeatRuns renews leases and tells what was cancelled. One call for all runs of a runtime, about every third of
     * lease_seconds. A lost lease is told in the answer, not as an error.
     * </pre>
     */
    default void heartbeatRuns(dev.sessiontools.v1.HeartbeatRunsRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.HeartbeatRunsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getHeartbeatRunsMethod(), responseObserver);
    }

    /**
     * <pre>
     * AppendRunEvents stores what the run brings forth, and renews its lease. Safe to repeat: an event is stored once by
     * its sequence, so repeats and overlaps do no harm. EVENT_GAP, LEASE_LOST, MESSAGE_TOO_LARGE.
     * </pre>
     */
    default void appendRunEvents(dev.sessiontools.v1.AppendRunEventsRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.AppendRunEventsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getAppendRunEventsMethod(), responseObserver);
    }

    /**
     * <pre>
     * CompleteRun ends the run, together with all that follows from its end. Repeated with the same token, it gives the
     * first answer. LEASE_LOST, MESSAGE_TOO_LARGE.
     * </pre>
     */
    default void completeRun(dev.sessiontools.v1.CompleteRunRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.CompleteRunResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCompleteRunMethod(), responseObserver);
    }

    /**
     * <pre>
     * ReleaseRun gives the run back to the queue, as a runtime that shuts down does. It uses up no attempt. LEASE_LOST.
     * </pre>
     */
    default void releaseRun(dev.sessiontools.v1.ReleaseRunRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.ReleaseRunResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getReleaseRunMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service RuntimeService.
   * <pre>
   * RuntimeService is for programs that execute the runs of agents configured with `runtime: "external"`. Runtimes and
   * owners may call it; others get ROLE_DENIED. A runtime holds a run by a lease: whoever has the latest lease token
   * may write, and every older token gets LEASE_LOST and changes nothing.
   * </pre>
   */
  public static abstract class RuntimeServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return RuntimeServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service RuntimeService.
   * <pre>
   * RuntimeService is for programs that execute the runs of agents configured with `runtime: "external"`. Runtimes and
   * owners may call it; others get ROLE_DENIED. A runtime holds a run by a lease: whoever has the latest lease token
   * may write, and every older token gets LEASE_LOST and changes nothing.
   * </pre>
   */
  public static final class RuntimeServiceStub
      extends io.grpc.stub.AbstractAsyncStub<RuntimeServiceStub> {
    private RuntimeServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected RuntimeServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new RuntimeServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * AcquireRuns takes queued runs to execute. A long poll: an empty answer means to ask again.
     * </pre>
     */
    public void acquireRuns(dev.sessiontools.v1.AcquireRunsRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.AcquireRunsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getAcquireRunsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * HeartbeatRuns renews leases and tells what was cancelled. One call for all runs of a runtime, about every third of
     * lease_seconds. A lost lease is told in the answer, not as an error.
     * </pre>
     */
    public void heartbeatRuns(dev.sessiontools.v1.HeartbeatRunsRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.HeartbeatRunsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getHeartbeatRunsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * AppendRunEvents stores what the run brings forth, and renews its lease. Safe to repeat: an event is stored once by
     * its sequence, so repeats and overlaps do no harm. EVENT_GAP, LEASE_LOST, MESSAGE_TOO_LARGE.
     * </pre>
     */
    public void appendRunEvents(dev.sessiontools.v1.AppendRunEventsRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.AppendRunEventsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getAppendRunEventsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * CompleteRun ends the run, together with all that follows from its end. Repeated with the same token, it gives the
     * first answer. LEASE_LOST, MESSAGE_TOO_LARGE.
     * </pre>
     */
    public void completeRun(dev.sessiontools.v1.CompleteRunRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.CompleteRunResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCompleteRunMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * ReleaseRun gives the run back to the queue, as a runtime that shuts down does. It uses up no attempt. LEASE_LOST.
     * </pre>
     */
    public void releaseRun(dev.sessiontools.v1.ReleaseRunRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.ReleaseRunResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getReleaseRunMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service RuntimeService.
   * <pre>
   * RuntimeService is for programs that execute the runs of agents configured with `runtime: "external"`. Runtimes and
   * owners may call it; others get ROLE_DENIED. A runtime holds a run by a lease: whoever has the latest lease token
   * may write, and every older token gets LEASE_LOST and changes nothing.
   * </pre>
   */
  public static final class RuntimeServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<RuntimeServiceBlockingV2Stub> {
    private RuntimeServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected RuntimeServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new RuntimeServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * AcquireRuns takes queued runs to execute. A long poll: an empty answer means to ask again.
     * </pre>
     */
    public dev.sessiontools.v1.AcquireRunsResponse acquireRuns(dev.sessiontools.v1.AcquireRunsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getAcquireRunsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * HeartbeatRuns renews leases and tells what was cancelled. One call for all runs of a runtime, about every third of
     * lease_seconds. A lost lease is told in the answer, not as an error.
     * </pre>
     */
    public dev.sessiontools.v1.HeartbeatRunsResponse heartbeatRuns(dev.sessiontools.v1.HeartbeatRunsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getHeartbeatRunsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * AppendRunEvents stores what the run brings forth, and renews its lease. Safe to repeat: an event is stored once by
     * its sequence, so repeats and overlaps do no harm. EVENT_GAP, LEASE_LOST, MESSAGE_TOO_LARGE.
     * </pre>
     */
    public dev.sessiontools.v1.AppendRunEventsResponse appendRunEvents(dev.sessiontools.v1.AppendRunEventsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getAppendRunEventsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * CompleteRun ends the run, together with all that follows from its end. Repeated with the same token, it gives the
     * first answer. LEASE_LOST, MESSAGE_TOO_LARGE.
     * </pre>
     */
    public dev.sessiontools.v1.CompleteRunResponse completeRun(dev.sessiontools.v1.CompleteRunRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCompleteRunMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ReleaseRun gives the run back to the queue, as a runtime that shuts down does. It uses up no attempt. LEASE_LOST.
     * </pre>
     */
    public dev.sessiontools.v1.ReleaseRunResponse releaseRun(dev.sessiontools.v1.ReleaseRunRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getReleaseRunMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service RuntimeService.
   * <pre>
   * RuntimeService is for programs that execute the runs of agents configured with `runtime: "external"`. Runtimes and
   * owners may call it; others get ROLE_DENIED. A runtime holds a run by a lease: whoever has the latest lease token
   * may write, and every older token gets LEASE_LOST and changes nothing.
   * </pre>
   */
  public static final class RuntimeServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<RuntimeServiceBlockingStub> {
    private RuntimeServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected RuntimeServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new RuntimeServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * AcquireRuns takes queued runs to execute. A long poll: an empty answer means to ask again.
     * </pre>
     */
    public dev.sessiontools.v1.AcquireRunsResponse acquireRuns(dev.sessiontools.v1.AcquireRunsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getAcquireRunsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * HeartbeatRuns renews leases and tells what was cancelled. One call for all runs of a runtime, about every third of
     * lease_seconds. A lost lease is told in the answer, not as an error.
     * </pre>
     */
    public dev.sessiontools.v1.HeartbeatRunsResponse heartbeatRuns(dev.sessiontools.v1.HeartbeatRunsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getHeartbeatRunsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * AppendRunEvents stores what the run brings forth, and renews its lease. Safe to repeat: an event is stored once by
     * its sequence, so repeats and overlaps do no harm. EVENT_GAP, LEASE_LOST, MESSAGE_TOO_LARGE.
     * </pre>
     */
    public dev.sessiontools.v1.AppendRunEventsResponse appendRunEvents(dev.sessiontools.v1.AppendRunEventsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getAppendRunEventsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * CompleteRun ends the run, together with all that follows from its end. Repeated with the same token, it gives the
     * first answer. LEASE_LOST, MESSAGE_TOO_LARGE.
     * </pre>
     */
    public dev.sessiontools.v1.CompleteRunResponse completeRun(dev.sessiontools.v1.CompleteRunRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCompleteRunMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ReleaseRun gives the run back to the queue, as a runtime that shuts down does. It uses up no attempt. LEASE_LOST.
     * </pre>
     */
    public dev.sessiontools.v1.ReleaseRunResponse releaseRun(dev.sessiontools.v1.ReleaseRunRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getReleaseRunMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service RuntimeService.
   * <pre>
   * RuntimeService is for programs that execute the runs of agents configured with `runtime: "external"`. Runtimes and
   * owners may call it; others get ROLE_DENIED. A runtime holds a run by a lease: whoever has the latest lease token
   * may write, and every older token gets LEASE_LOST and changes nothing.
   * </pre>
   */
  public static final class RuntimeServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<RuntimeServiceFutureStub> {
    private RuntimeServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected RuntimeServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new RuntimeServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * AcquireRuns takes queued runs to execute. A long poll: an empty answer means to ask again.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.AcquireRunsResponse> acquireRuns(
        dev.sessiontools.v1.AcquireRunsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getAcquireRunsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * HeartbeatRuns renews leases and tells what was cancelled. One call for all runs of a runtime, about every third of
     * lease_seconds. A lost lease is told in the answer, not as an error.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.HeartbeatRunsResponse> heartbeatRuns(
        dev.sessiontools.v1.HeartbeatRunsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getHeartbeatRunsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * AppendRunEvents stores what the run brings forth, and renews its lease. Safe to repeat: an event is stored once by
     * its sequence, so repeats and overlaps do no harm. EVENT_GAP, LEASE_LOST, MESSAGE_TOO_LARGE.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.AppendRunEventsResponse> appendRunEvents(
        dev.sessiontools.v1.AppendRunEventsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getAppendRunEventsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * CompleteRun ends the run, together with all that follows from its end. Repeated with the same token, it gives the
     * first answer. LEASE_LOST, MESSAGE_TOO_LARGE.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.CompleteRunResponse> completeRun(
        dev.sessiontools.v1.CompleteRunRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCompleteRunMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * ReleaseRun gives the run back to the queue, as a runtime that shuts down does. It uses up no attempt. LEASE_LOST.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.ReleaseRunResponse> releaseRun(
        dev.sessiontools.v1.ReleaseRunRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getReleaseRunMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_ACQUIRE_RUNS = 0;
  private static final int METHODID_HEARTBEAT_RUNS = 1;
  private static final int METHODID_APPEND_RUN_EVENTS = 2;
  private static final int METHODID_COMPLETE_RUN = 3;
  private static final int METHODID_RELEASE_RUN = 4;

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
        case METHODID_ACQUIRE_RUNS:
          serviceImpl.acquireRuns((dev.sessiontools.v1.AcquireRunsRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.AcquireRunsResponse>) responseObserver);
          break;
        case METHODID_HEARTBEAT_RUNS:
          serviceImpl.heartbeatRuns((dev.sessiontools.v1.HeartbeatRunsRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.HeartbeatRunsResponse>) responseObserver);
          break;
        case METHODID_APPEND_RUN_EVENTS:
          serviceImpl.appendRunEvents((dev.sessiontools.v1.AppendRunEventsRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.AppendRunEventsResponse>) responseObserver);
          break;
        case METHODID_COMPLETE_RUN:
          serviceImpl.completeRun((dev.sessiontools.v1.CompleteRunRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.CompleteRunResponse>) responseObserver);
          break;
        case METHODID_RELEASE_RUN:
          serviceImpl.releaseRun((dev.sessiontools.v1.ReleaseRunRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.ReleaseRunResponse>) responseObserver);
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
          getAcquireRunsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.AcquireRunsRequest,
              dev.sessiontools.v1.AcquireRunsResponse>(
                service, METHODID_ACQUIRE_RUNS)))
        .addMethod(
          getHeartbeatRunsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.HeartbeatRunsRequest,
              dev.sessiontools.v1.HeartbeatRunsResponse>(
                service, METHODID_HEARTBEAT_RUNS)))
        .addMethod(
          getAppendRunEventsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.AppendRunEventsRequest,
              dev.sessiontools.v1.AppendRunEventsResponse>(
                service, METHODID_APPEND_RUN_EVENTS)))
        .addMethod(
          getCompleteRunMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.CompleteRunRequest,
              dev.sessiontools.v1.CompleteRunResponse>(
                service, METHODID_COMPLETE_RUN)))
        .addMethod(
          getReleaseRunMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.ReleaseRunRequest,
              dev.sessiontools.v1.ReleaseRunResponse>(
                service, METHODID_RELEASE_RUN)))
        .build();
  }

  private static abstract class RuntimeServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    RuntimeServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.sessiontools.v1.RuntimeServiceOuterClass.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("RuntimeService");
    }
  }

  private static final class RuntimeServiceFileDescriptorSupplier
      extends RuntimeServiceBaseDescriptorSupplier {
    RuntimeServiceFileDescriptorSupplier() {}
  }

  private static final class RuntimeServiceMethodDescriptorSupplier
      extends RuntimeServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    RuntimeServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (RuntimeServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new RuntimeServiceFileDescriptorSupplier())
              .addMethod(getAcquireRunsMethod())
              .addMethod(getHeartbeatRunsMethod())
              .addMethod(getAppendRunEventsMethod())
              .addMethod(getCompleteRunMethod())
              .addMethod(getReleaseRunMethod())
              .build();
        }
      }
    }
    return result;
  }
}
