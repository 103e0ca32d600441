package dev.sessiontools.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * GatewayService is for the programs that connect channels with sessions, and for operators. Gateways and owners may
 * call it; ListDeliveries, RetryDelivery and DiscardDelivery are for owners only. Others get ROLE_DENIED.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class GatewayServiceGrpc {

  private GatewayServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "sessiontools.v1.GatewayService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.ChatSendRequest,
      dev.sessiontools.v1.ChatSendResponse> getChatSendMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ChatSend",
      requestType = dev.sessiontools.v1.ChatSendRequest.class,
      responseType = dev.sessiontools.v1.ChatSendResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.ChatSendRequest,
      dev.sessiontools.v1.ChatSendResponse> getChatSendMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.ChatSendRequest, dev.sessiontools.v1.ChatSendResponse> getChatSendMethod;
    if ((getChatSendMethod = GatewayServiceGrpc.getChatSendMethod) == null) {
      synchronized (GatewayServiceGrpc.class) {
        if ((getChatSendMethod = GatewayServiceGrpc.getChatSendMethod) == null) {
          GatewayServiceGrpc.getChatSendMethod = getChatSendMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.ChatSendRequest, dev.sessiontools.v1.ChatSendResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ChatSend"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.ChatSendRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.ChatSendResponse.getDefaultInstance()))
              .setSchemaDescriptor(new GatewayServiceMethodDescriptorSupplier("ChatSend"))
              .build();
        }
      }
    }
    return getChatSendMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.ChatAbortRequest,
      dev.sessiontools.v1.ChatAbortResponse> getChatAbortMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ChatAbort",
      requestType = dev.sessiontools.v1.ChatAbortRequest.class,
      responseType = dev.sessiontools.v1.ChatAbortResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.ChatAbortRequest,
      dev.sessiontools.v1.ChatAbortResponse> getChatAbortMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.ChatAbortRequest, dev.sessiontools.v1.ChatAbortResponse> getChatAbortMethod;
    if ((getChatAbortMethod = GatewayServiceGrpc.getChatAbortMethod) == null) {
      synchronized (GatewayServiceGrpc.class) {
        if ((getChatAbortMethod = GatewayServiceGrpc.getChatAbortMethod) == null) {
          GatewayServiceGrpc.getChatAbortMethod = getChatAbortMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.ChatAbortRequest, dev.sessiontools.v1.ChatAbortResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ChatAbort"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.ChatAbortRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.ChatAbortResponse.getDefaultInstance()))
              .setSchemaDescriptor(new GatewayServiceMethodDescriptorSupplier("ChatAbort"))
              .build();
        }
      }
    }
    return getChatAbortMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsPatchRequest,
      dev.sessiontools.v1.SessionsPatchResponse> getSessionsPatchMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SessionsPatch",
      requestType = dev.sessiontools.v1.SessionsPatchRequest.class,
      responseType = dev.sessiontools.v1.SessionsPatchResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsPatchRequest,
      dev.sessiontools.v1.SessionsPatchResponse> getSessionsPatchMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsPatchRequest, dev.sessiontools.v1.SessionsPatchResponse> getSessionsPatchMethod;
    if ((getSessionsPatchMethod = GatewayServiceGrpc.getSessionsPatchMethod) == null) {
      synchronized (GatewayServiceGrpc.class) {
        if ((getSessionsPatchMethod = GatewayServiceGrpc.getSessionsPatchMethod) == null) {
          GatewayServiceGrpc.getSessionsPatchMethod = getSessionsPatchMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.SessionsPatchRequest, dev.sessiontools.v1.SessionsPatchResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SessionsPatch"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.SessionsPatchRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.SessionsPatchResponse.getDefaultInstance()))
              .setSchemaDescriptor(new GatewayServiceMethodDescriptorSupplier("SessionsPatch"))
              .build();
        }
      }
    }
    return getSessionsPatchMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsResetRequest,
      dev.sessiontools.v1.SessionsResetResponse> getSessionsResetMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SessionsReset",
      requestType = dev.sessiontools.v1.SessionsResetRequest.class,
      responseType = dev.sessiontools.v1.SessionsResetResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsResetRequest,
      dev.sessiontools.v1.SessionsResetResponse> getSessionsResetMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsResetRequest, dev.sessiontools.v1.SessionsResetResponse> getSessionsResetMethod;
    if ((getSessionsResetMethod = GatewayServiceGrpc.getSessionsResetMethod) == null) {
      synchronized (GatewayServiceGrpc.class) {
        if ((getSessionsResetMethod = GatewayServiceGrpc.getSessionsResetMethod) == null) {
          GatewayServiceGrpc.getSessionsResetMethod = getSessionsResetMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.SessionsResetRequest, dev.sessiontools.v1.SessionsResetResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SessionsReset"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.SessionsResetRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.SessionsResetResponse.getDefaultInstance()))
              .setSchemaDescriptor(new GatewayServiceMethodDescriptorSupplier("SessionsReset"))
              .build();
        }
      }
    }
    return getSessionsResetMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsDeleteRequest,
      dev.sessiontools.v1.SessionsDeleteResponse> getSessionsDeleteMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SessionsDelete",
      requestType = dev.sessiontools.v1.SessionsDeleteRequest.class,
      responseType = dev.sessiontools.v1.SessionsDeleteResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsDeleteRequest,
      dev.sessiontools.v1.SessionsDeleteResponse> getSessionsDeleteMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsDeleteRequest, dev.sessiontools.v1.SessionsDeleteResponse> getSessionsDeleteMethod;
    if ((getSessionsDeleteMethod = GatewayServiceGrpc.getSessionsDeleteMethod) == null) {
      synchronized (GatewayServiceGrpc.class) {
        if ((getSessionsDeleteMethod = GatewayServiceGrpc.getSessionsDeleteMethod) == null) {
          GatewayServiceGrpc.getSessionsDeleteMethod = getSessionsDeleteMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.SessionsDeleteRequest, dev.sessiontools.v1.SessionsDeleteResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SessionsDelete"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.SessionsDeleteRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.SessionsDeleteResponse.getDefaultInstance()))
              .setSchemaDescriptor(new GatewayServiceMethodDescriptorSupplier("SessionsDelete"))
              .build();
        }
      }
    }
    return getSessionsDeleteMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsResolveRequest,
      dev.sessiontools.v1.SessionsResolveResponse> getSessionsResolveMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SessionsResolve",
      requestType = dev.sessiontools.v1.SessionsResolveRequest.class,
      responseType = dev.sessiontools.v1.SessionsResolveResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsResolveRequest,
      dev.sessiontools.v1.SessionsResolveResponse> getSessionsResolveMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.SessionsResolveRequest, dev.sessiontools.v1.SessionsResolveResponse> getSessionsResolveMethod;
    if ((getSessionsResolveMethod = GatewayServiceGrpc.getSessionsResolveMethod) == null) {
      synchronized (GatewayServiceGrpc.class) {
        if ((getSessionsResolveMethod = GatewayServiceGrpc.getSessionsResolveMethod) == null) {
          GatewayServiceGrpc.getSessionsResolveMethod = getSessionsResolveMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.SessionsResolveRequest, dev.sessiontools.v1.SessionsResolveResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SessionsResolve"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.SessionsResolveRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.SessionsResolveResponse.getDefaultInstance()))
              .setSchemaDescriptor(new GatewayServiceMethodDescriptorSupplier("SessionsResolve"))
              .build();
        }
      }
    }
    return getSessionsResolveMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.AcquireDeliveriesRequest,
      dev.sessiontools.v1.AcquireDeliveriesResponse> getAcquireDeliveriesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "AcquireDeliveries",
      requestType = dev.sessiontools.v1.AcquireDeliveriesRequest.class,
      responseType = dev.sessiontools.v1.AcquireDeliveriesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.AcquireDeliveriesRequest,
      dev.sessiontools.v1.AcquireDeliveriesResponse> getAcquireDeliveriesMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.AcquireDeliveriesRequest, dev.sessiontools.v1.AcquireDeliveriesResponse> getAcquireDeliveriesMethod;
    if ((getAcquireDeliveriesMethod = GatewayServiceGrpc.getAcquireDeliveriesMethod) == null) {
      synchronized (GatewayServiceGrpc.class) {
        if ((getAcquireDeliveriesMethod = GatewayServiceGrpc.getAcquireDeliveriesMethod) == null) {
          GatewayServiceGrpc.getAcquireDeliveriesMethod = getAcquireDeliveriesMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.AcquireDeliveriesRequest, dev.sessiontools.v1.AcquireDeliveriesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "AcquireDeliveries"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.AcquireDeliveriesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.AcquireDeliveriesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new GatewayServiceMethodDescriptorSupplier("AcquireDeliveries"))
              .build();
        }
      }
    }
    return getAcquireDeliveriesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.AckDeliveryRequest,
      dev.sessiontools.v1.AckDeliveryResponse> getAckDeliveryMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "AckDelivery",
      requestType = dev.sessiontools.v1.AckDeliveryRequest.class,
      responseType = dev.sessiontools.v1.AckDeliveryResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.AckDeliveryRequest,
      dev.sessiontools.v1.AckDeliveryResponse> getAckDeliveryMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.AckDeliveryRequest, dev.sessiontools.v1.AckDeliveryResponse> getAckDeliveryMethod;
    if ((getAckDeliveryMethod = GatewayServiceGrpc.getAckDeliveryMethod) == null) {
      synchronized (GatewayServiceGrpc.class) {
        if ((getAckDeliveryMethod = GatewayServiceGrpc.getAckDeliveryMethod) == null) {
          GatewayServiceGrpc.getAckDeliveryMethod = getAckDeliveryMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.AckDeliveryRequest, dev.sessiontools.v1.AckDeliveryResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "AckDelivery"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.AckDeliveryRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.AckDeliveryResponse.getDefaultInstance()))
              .setSchemaDescriptor(new GatewayServiceMethodDescriptorSupplier("AckDelivery"))
              .build();
        }
      }
    }
    return getAckDeliveryMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.NackDeliveryRequest,
      dev.sessiontools.v1.NackDeliveryResponse> getNackDeliveryMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "NackDelivery",
      requestType = dev.sessiontools.v1.NackDeliveryRequest.class,
      responseType = dev.sessiontools.v1.NackDeliveryResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.NackDeliveryRequest,
      dev.sessiontools.v1.NackDeliveryResponse> getNackDeliveryMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.NackDeliveryRequest, dev.sessiontools.v1.NackDeliveryResponse> getNackDeliveryMethod;
    if ((getNackDeliveryMethod = GatewayServiceGrpc.getNackDeliveryMethod) == null) {
      synchronized (GatewayServiceGrpc.class) {
        if ((getNackDeliveryMethod = GatewayServiceGrpc.getNackDeliveryMethod) == null) {
          GatewayServiceGrpc.getNackDeliveryMethod = getNackDeliveryMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.NackDeliveryRequest, dev.sessiontools.v1.NackDeliveryResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "NackDelivery"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.NackDeliveryRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.NackDeliveryResponse.getDefaultInstance()))
              .setSchemaDescriptor(new GatewayServiceMethodDescriptorSupplier("NackDelivery"))
              .build();
        }
      }
    }
    return getNackDeliveryMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.ListDeliveriesRequest,
      dev.sessiontools.v1.ListDeliveriesResponse> getListDeliveriesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListDeliveries",
      requestType = dev.sessiontools.v1.ListDeliveriesRequest.class,
      responseType = dev.sessiontools.v1.ListDeliveriesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.ListDeliveriesRequest,
      dev.sessiontools.v1.ListDeliveriesResponse> getListDeliveriesMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.ListDeliveriesRequest, dev.sessiontools.v1.ListDeliveriesResponse> getListDeliveriesMethod;
    if ((getListDeliveriesMethod = GatewayServiceGrpc.getListDeliveriesMethod) == null) {
      synchronized (GatewayServiceGrpc.class) {
        if ((getListDeliveriesMethod = GatewayServiceGrpc.getListDeliveriesMethod) == null) {
          GatewayServiceGrpc.getListDeliveriesMethod = getListDeliveriesMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.ListDeliveriesRequest, dev.sessiontools.v1.ListDeliveriesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListDeliveries"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.ListDeliveriesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.ListDeliveriesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new GatewayServiceMethodDescriptorSupplier("ListDeliveries"))
              .build();
        }
      }
    }
    return getListDeliveriesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.RetryDeliveryRequest,
      dev.sessiontools.v1.RetryDeliveryResponse> getRetryDeliveryMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "RetryDelivery",
      requestType = dev.sessiontools.v1.RetryDeliveryRequest.class,
      responseType = dev.sessiontools.v1.RetryDeliveryResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.RetryDeliveryRequest,
      dev.sessiontools.v1.RetryDeliveryResponse> getRetryDeliveryMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.RetryDeliveryRequest, dev.sessiontools.v1.RetryDeliveryResponse> getRetryDeliveryMethod;
    if ((getRetryDeliveryMethod = GatewayServiceGrpc.getRetryDeliveryMethod) == null) {
      synchronized (GatewayServiceGrpc.class) {
        if ((getRetryDeliveryMethod = GatewayServiceGrpc.getRetryDeliveryMethod) == null) {
          GatewayServiceGrpc.getRetryDeliveryMethod = getRetryDeliveryMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.RetryDeliveryRequest, dev.sessiontools.v1.RetryDeliveryResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "RetryDelivery"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.RetryDeliveryRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.RetryDeliveryResponse.getDefaultInstance()))
              .setSchemaDescriptor(new GatewayServiceMethodDescriptorSupplier("RetryDelivery"))
              .build();
        }
      }
    }
    return getRetryDeliveryMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.sessiontools.v1.DiscardDeliveryRequest,
      dev.sessiontools.v1.DiscardDeliveryResponse> getDiscardDeliveryMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DiscardDelivery",
      requestType = dev.sessiontools.v1.DiscardDeliveryRequest.class,
      responseType = dev.sessiontools.v1.DiscardDeliveryResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.sessiontools.v1.DiscardDeliveryRequest,
      dev.sessiontools.v1.DiscardDeliveryResponse> getDiscardDeliveryMethod() {
    io.grpc.MethodDescriptor<dev.sessiontools.v1.DiscardDeliveryRequest, dev.sessiontools.v1.DiscardDeliveryResponse> getDiscardDeliveryMethod;
    if ((getDiscardDeliveryMethod = GatewayServiceGrpc.getDiscardDeliveryMethod) == null) {
      synchronized (GatewayServiceGrpc.class) {
        if ((getDiscardDeliveryMethod = GatewayServiceGrpc.getDiscardDeliveryMethod) == null) {
          GatewayServiceGrpc.getDiscardDeliveryMethod = getDiscardDeliveryMethod =
              io.grpc.MethodDescriptor.<dev.sessiontools.v1.DiscardDeliveryRequest, dev.sessiontools.v1.DiscardDeliveryResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DiscardDelivery"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.DiscardDeliveryRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.sessiontools.v1.DiscardDeliveryResponse.getDefaultInstance()))
              .setSchemaDescriptor(new GatewayServiceMethodDescriptorSupplier("DiscardDelivery"))
              .build();
        }
      }
    }
    return getDiscardDeliveryMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static GatewayServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<GatewayServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<GatewayServiceStub>() {
        @java.lang.Override
        public GatewayServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new GatewayServiceStub(channel, callOptions);
        }
      };
    return GatewayServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static GatewayServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<GatewayServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<GatewayServiceBlockingV2Stub>() {
        @java.lang.Override
        public GatewayServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new GatewayServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return GatewayServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static GatewayServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<GatewayServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<GatewayServiceBlockingStub>() {
        @java.lang.Override
        public GatewayServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new GatewayServiceBlockingStub(channel, callOptions);
        }
      };
    return GatewayServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static GatewayServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<GatewayServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<GatewayServiceFutureStub>() {
        @java.lang.Override
        public GatewayServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new GatewayServiceFutureStub(channel, callOptions);
        }
      };
    return GatewayServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * GatewayService is for the programs that connect channels with sessions, and for operators. Gateways and owners may
   * call it; ListDeliveries, RetryDelivery and DiscardDelivery are for owners only. Others get ROLE_DENIED.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * ChatSend brings a message from outside into a session, making the session if need be, and starts a run. Refused
     * with INVALID_KEY, MESSAGE_TOO_LARGE, SEND_POLICY_DENIED or QUEUE_FULL. A standalone `/send on`, `/send off` or
     * `/send inherit` is a command: an owner's sets the session's send policy, another's is ignored.
     * </pre>
     */
    default void chatSend(dev.sessiontools.v1.ChatSendRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.ChatSendResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getChatSendMethod(), responseObserver);
    }

    /**
     * <pre>
     * ChatAbort stops the unfinished runs of a session and the runs that they caused, or one of them. Safe to repeat.
     * SESSION_NOT_FOUND, RUN_NOT_FOUND.
     * </pre>
     */
    default void chatAbort(dev.sessiontools.v1.ChatAbortRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.ChatAbortResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getChatAbortMethod(), responseObserver);
    }

    /**
     * <pre>
     * SessionsPatch changes a session's settings, all or none of them. SESSION_NOT_FOUND, MODEL_UNKNOWN, ETAG_MISMATCH.
     * </pre>
     */
    default void sessionsPatch(dev.sessiontools.v1.SessionsPatchRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsPatchResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSessionsPatchMethod(), responseObserver);
    }

    /**
     * <pre>
     * SessionsReset begins a new generation under the same key, with an empty transcript. The settings stay.
     * SESSION_NOT_FOUND, SESSION_BUSY under an unfinished run, whose reply belongs to the old transcript.
     * </pre>
     */
    default void sessionsReset(dev.sessiontools.v1.SessionsResetRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsResetResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSessionsResetMethod(), responseObserver);
    }

    /**
     * <pre>
     * SessionsDelete archives a session, or removes it for good. SESSION_NOT_FOUND, SESSION_BUSY under an unfinished run,
     * SESSION_PROTECTED for an agent's main session.
     * </pre>
     */
    default void sessionsDelete(dev.sessiontools.v1.SessionsDeleteRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsDeleteResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSessionsDeleteMethod(), responseObserver);
    }

    /**
     * <pre>
     * SessionsResolve finds one session by key, id or label. Nothing is made. SESSION_NOT_FOUND, LABEL_AMBIGUOUS.
     * </pre>
     */
    default void sessionsResolve(dev.sessiontools.v1.SessionsResolveRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsResolveResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSessionsResolveMethod(), responseObserver);
    }

    /**
     * <pre>
     * AcquireDeliveries takes outgoing texts to send, the oldest of each route first; the next of a route comes only when
     * the one before has an outcome or backs off for more than a minute. Each must be acknowledged before its
     * lease_expires; else it becomes UNCONFIRMED and is offered again as possibly_delivered.
     * </pre>
     */
    default void acquireDeliveries(dev.sessiontools.v1.AcquireDeliveriesRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.AcquireDeliveriesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getAcquireDeliveriesMethod(), responseObserver);
    }

    /**
     * <pre>
     * AckDelivery tells that the text was sent. Repeated with the same token, it gives the first answer. LEASE_LOST,
     * DELIVERY_NOT_FOUND.
     * </pre>
     */
    default void ackDelivery(dev.sessiontools.v1.AckDeliveryRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.AckDeliveryResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getAckDeliveryMethod(), responseObserver);
    }

    /**
     * <pre>
     * NackDelivery tells that the text was not sent. It is offered again after 1 second, then ever longer up to 5
     * minutes, and given up after the configured time, 24 hours by default. LEASE_LOST, DELIVERY_NOT_FOUND.
     * </pre>
     */
    default void nackDelivery(dev.sessiontools.v1.NackDeliveryRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.NackDeliveryResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getNackDeliveryMethod(), responseObserver);
    }

    /**
     * <pre>
     * ListDeliveries lists deliveries, the newest first. For owners only.
     * </pre>
     */
    default void listDeliveries(dev.sessiontools.v1.ListDeliveriesRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.ListDeliveriesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListDeliveriesMethod(), responseObserver);
    }

    /**
     * <pre>
     * RetryDelivery puts a DEAD or UNCONFIRMED delivery back to PENDING. For owners only. DELIVERY_NOT_FOUND,
     * DELIVERY_STATE.
     * </pre>
     */
    default void retryDelivery(dev.sessiontools.v1.RetryDeliveryRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.RetryDeliveryResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRetryDeliveryMethod(), responseObserver);
    }

    /**
     * <pre>
     * DiscardDelivery ends a delivery that is not final, or a dead one, as SUPPRESSED with `DISCARDED`. For owners only.
     * DELIVERY_NOT_FOUND, DELIVERY_STATE.
     * </pre>
     */
    default void discardDelivery(dev.sessiontools.v1.DiscardDeliveryRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.DiscardDeliveryResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDiscardDeliveryMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service GatewayService.
   * <pre>
   * GatewayService is for the programs that connect channels with sessions, and for operators. Gateways and owners may
   * call it; ListDeliveries, RetryDelivery and DiscardDelivery are for owners only. Others get ROLE_DENIED.
   * </pre>
   */
  public static abstract class GatewayServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return GatewayServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service GatewayService.
   * <pre>
   * GatewayService is for the programs that connect channels with sessions, and for operators. Gateways and owners may
   * call it; ListDeliveries, RetryDelivery and DiscardDelivery are for owners only. Others get ROLE_DENIED.
   * </pre>
   */
  public static final class GatewayServiceStub
      extends io.grpc.stub.AbstractAsyncStub<GatewayServiceStub> {
    private GatewayServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected GatewayServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new GatewayServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * ChatSend brings a message from outside into a session, making the session if need be, and starts a run. Refused
     * with INVALID_KEY, MESSAGE_TOO_LARGE, SEND_POLICY_DENIED or QUEUE_FULL. A standalone `/send on`, `/send off` or
     * `/send inherit` is a command: an owner's sets the session's send policy, another's is ignored.
     * </pre>
     */
    public void chatSend(dev.sessiontools.v1.ChatSendRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.ChatSendResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getChatSendMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * ChatAbort stops the unfinished runs of a session and the runs that they caused, or one of them. Safe to repeat.
     * SESSION_NOT_FOUND, RUN_NOT_FOUND.
     * </pre>
     */
    public void chatAbort(dev.sessiontools.v1.ChatAbortRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.ChatAbortResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getChatAbortMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * SessionsPatch changes a session's settings, all or none of them. SESSION_NOT_FOUND, MODEL_UNKNOWN, ETAG_MISMATCH.
     * </pre>
     */
    public void sessionsPatch(dev.sessiontools.v1.SessionsPatchRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsPatchResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSessionsPatchMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * SessionsReset begins a new generation under the same key, with an empty transcript. The settings stay.
     * SESSION_NOT_FOUND, SESSION_BUSY under an unfinished run, whose reply belongs to the old transcript.
     * </pre>
     */
    public void sessionsReset(dev.sessiontools.v1.SessionsResetRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsResetResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSessionsResetMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * SessionsDelete archives a session, or removes it for good. SESSION_NOT_FOUND, SESSION_BUSY under an unfinished run,
     * SESSION_PROTECTED for an agent's main session.
     * </pre>
     */
    public void sessionsDelete(dev.sessiontools.v1.SessionsDeleteRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsDeleteResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSessionsDeleteMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * SessionsResolve finds one session by key, id or label. Nothing is made. SESSION_NOT_FOUND, LABEL_AMBIGUOUS.
     * </pre>
     */
    public void sessionsResolve(dev.sessiontools.v1.SessionsResolveRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsResolveResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSessionsResolveMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * AcquireDeliveries takes outgoing texts to send, the oldest of each route first; the next of a route comes only when
     * the one before has an outcome or backs off for more than a minute. Each must be acknowledged before its
     * lease_expires; else it becomes UNCONFIRMED and is offered again as possibly_delivered.
     * </pre>
     */
    public void acquireDeliveries(dev.sessiontools.v1.AcquireDeliveriesRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.AcquireDeliveriesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getAcquireDeliveriesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * AckDelivery tells that the text was sent. Repeated with the same token, it gives the first answer. LEASE_LOST,
     * DELIVERY_NOT_FOUND.
     * </pre>
     */
    public void ackDelivery(dev.sessiontools.v1.AckDeliveryRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.AckDeliveryResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getAckDeliveryMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * NackDelivery tells that the text was not sent. It is offered again after 1 second, then ever longer up to 5
     * minutes, and given up after the configured time, 24 hours by default. LEASE_LOST, DELIVERY_NOT_FOUND.
     * </pre>
     */
    public void nackDelivery(dev.sessiontools.v1.NackDeliveryRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.NackDeliveryResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getNackDeliveryMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * ListDeliveries lists deliveries, the newest first. For owners only.
     * </pre>
     */
    public void listDeliveries(dev.sessiontools.v1.ListDeliveriesRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.ListDeliveriesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListDeliveriesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * RetryDelivery puts a DEAD or UNCONFIRMED delivery back to PENDING. For owners only. DELIVERY_NOT_FOUND,
     * DELIVERY_STATE.
     * </pre>
     */
    public void retryDelivery(dev.sessiontools.v1.RetryDeliveryRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.RetryDeliveryResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getRetryDeliveryMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * DiscardDelivery ends a delivery that is not final, or a dead one, as SUPPRESSED with `DISCARDED`. For owners only.
     * DELIVERY_NOT_FOUND, DELIVERY_STATE.
     * </pre>
     */
    public void discardDelivery(dev.sessiontools.v1.DiscardDeliveryRequest request,
        io.grpc.stub.StreamObserver<dev.sessiontools.v1.DiscardDeliveryResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDiscardDeliveryMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service GatewayService.
   * <pre>
   * GatewayService is for the programs that connect channels with sessions, and for operators. Gateways and owners may
   * call it; ListDeliveries, RetryDelivery and DiscardDelivery are for owners only. Others get ROLE_DENIED.
   * </pre>
   */
  public static final class GatewayServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<GatewayServiceBlockingV2Stub> {
    private GatewayServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected GatewayServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new GatewayServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * ChatSend brings a message from outside into a session, making the session if need be, and starts a run. Refused
     * with INVALID_KEY, MESSAGE_TOO_LARGE, SEND_POLICY_DENIED or QUEUE_FULL. A standalone `/send on`, `/send off` or
     * `/send inherit` is a command: an owner's sets the session's send policy, another's is ignored.
     * </pre>
     */
    public dev.sessiontools.v1.ChatSendResponse chatSend(dev.sessiontools.v1.ChatSendRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getChatSendMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ChatAbort stops the unfinished runs of a session and the runs that they caused, or one of them. Safe to repeat.
     * SESSION_NOT_FOUND, RUN_NOT_FOUND.
     * </pre>
     */
    public dev.sessiontools.v1.ChatAbortResponse chatAbort(dev.sessiontools.v1.ChatAbortRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getChatAbortMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * SessionsPatch changes a session's settings, all or none of them. SESSION_NOT_FOUND, MODEL_UNKNOWN, ETAG_MISMATCH.
     * </pre>
     */
    public dev.sessiontools.v1.SessionsPatchResponse sessionsPatch(dev.sessiontools.v1.SessionsPatchRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSessionsPatchMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * SessionsReset begins a new generation under the same key, with an empty transcript. The settings stay.
     * SESSION_NOT_FOUND, SESSION_BUSY under an unfinished run, whose reply belongs to the old transcript.
     * </pre>
     */
    public dev.sessiontools.v1.SessionsResetResponse sessionsReset(dev.sessiontools.v1.SessionsResetRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSessionsResetMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * SessionsDelete archives a session, or removes it for good. SESSION_NOT_FOUND, SESSION_BUSY under an unfinished run,
     * SESSION_PROTECTED for an agent's main session.
     * </pre>
     */
    public dev.sessiontools.v1.SessionsDeleteResponse sessionsDelete(dev.sessiontools.v1.SessionsDeleteRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSessionsDeleteMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * SessionsResolve finds one session by key, id or label. Nothing is made. SESSION_NOT_FOUND, LABEL_AMBIGUOUS.
     * </pre>
     */
    public dev.sessiontools.v1.SessionsResolveResponse sessionsResolve(dev.sessiontools.v1.SessionsResolveRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSessionsResolveMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * AcquireDeliveries takes outgoing texts to send, the oldest of each route first; the next of a route comes only when
     * the one before has an outcome or backs off for more than a minute. Each must be acknowledged before its
     * lease_expires; else it becomes UNCONFIRMED and is offered again as possibly_delivered.
     * </pre>
     */
    public dev.sessiontools.v1.AcquireDeliveriesResponse acquireDeliveries(dev.sessiontools.v1.AcquireDeliveriesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getAcquireDeliveriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * AckDelivery tells that the text was sent. Repeated with the same token, it gives the first answer. LEASE_LOST,
     * DELIVERY_NOT_FOUND.
     * </pre>
     */
    public dev.sessiontools.v1.AckDeliveryResponse ackDelivery(dev.sessiontools.v1.AckDeliveryRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getAckDeliveryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * NackDelivery tells that the text was not sent. It is offered again after 1 second, then ever longer up to 5
     * minutes, and given up after the configured time, 24 hours by default. LEASE_LOST, DELIVERY_NOT_FOUND.
     * </pre>
     */
    public dev.sessiontools.v1.NackDeliveryResponse nackDelivery(dev.sessiontools.v1.NackDeliveryRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getNackDeliveryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ListDeliveries lists deliveries, the newest first. For owners only.
     * </pre>
     */
    public dev.sessiontools.v1.ListDeliveriesResponse listDeliveries(dev.sessiontools.v1.ListDeliveriesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListDeliveriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * RetryDelivery puts a DEAD or UNCONFIRMED delivery back to PENDING. For owners only. DELIVERY_NOT_FOUND,
     * DELIVERY_STATE.
     * </pre>
     */
    public dev.sessiontools.v1.RetryDeliveryResponse retryDelivery(dev.sessiontools.v1.RetryDeliveryRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getRetryDeliveryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * DiscardDelivery ends a delivery that is not final, or a dead one, as SUPPRESSED with `DISCARDED`. For owners only.
     * DELIVERY_NOT_FOUND, DELIVERY_STATE.
     * </pre>
     */
    public dev.sessiontools.v1.DiscardDeliveryResponse discardDelivery(dev.sessiontools.v1.DiscardDeliveryRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDiscardDeliveryMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service GatewayService.
   * <pre>
   * GatewayService is for the programs that connect channels with sessions, and for operators. Gateways and owners may
   * call it; ListDeliveries, RetryDelivery and DiscardDelivery are for owners only. Others get ROLE_DENIED.
   * </pre>
   */
  public static final class GatewayServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<GatewayServiceBlockingStub> {
    private GatewayServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected GatewayServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new GatewayServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * ChatSend brings a message from outside into a session, making the session if need be, and starts a run. Refused
     * with INVALID_KEY, MESSAGE_TOO_LARGE, SEND_POLICY_DENIED or QUEUE_FULL. A standalone `/send on`, `/send off` or
     * `/send inherit` is a command: an owner's sets the session's send policy, another's is ignored.
     * </pre>
     */
    public dev.sessiontools.v1.ChatSendResponse chatSend(dev.sessiontools.v1.ChatSendRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getChatSendMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ChatAbort stops the unfinished runs of a session and the runs that they caused, or one of them. Safe to repeat.
     * SESSION_NOT_FOUND, RUN_NOT_FOUND.
     * </pre>
     */
    public dev.sessiontools.v1.ChatAbortResponse chatAbort(dev.sessiontools.v1.ChatAbortRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getChatAbortMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * SessionsPatch changes a session's settings, all or none of them. SESSION_NOT_FOUND, MODEL_UNKNOWN, ETAG_MISMATCH.
     * </pre>
     */
    public dev.sessiontools.v1.SessionsPatchResponse sessionsPatch(dev.sessiontools.v1.SessionsPatchRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSessionsPatchMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * SessionsReset begins a new generation under the same key, with an empty transcript. The settings stay.
     * SESSION_NOT_FOUND, SESSION_BUSY under an unfinished run, whose reply belongs to the old transcript.
     * </pre>
     */
    public dev.sessiontools.v1.SessionsResetResponse sessionsReset(dev.sessiontools.v1.SessionsResetRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSessionsResetMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * SessionsDelete archives a session, or removes it for good. SESSION_NOT_FOUND, SESSION_BUSY under an unfinished run,
     * SESSION_PROTECTED for an agent's main session.
     * </pre>
     */
    public dev.sessiontools.v1.SessionsDeleteResponse sessionsDelete(dev.sessiontools.v1.SessionsDeleteRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSessionsDeleteMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * SessionsResolve finds one session by key, id or label. Nothing is made. SESSION_NOT_FOUND, LABEL_AMBIGUOUS.
     * </pre>
     */
    public dev.sessiontools.v1.SessionsResolveResponse sessionsResolve(dev.sessiontools.v1.SessionsResolveRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSessionsResolveMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * AcquireDeliveries takes outgoing texts to send, the oldest of each route first; the next of a route comes only when
     * the one before has an outcome or backs off for more than a minute. Each must be acknowledged before its
     * lease_expires; else it becomes UNCONFIRMED and is offered again as possibly_delivered.
     * </pre>
     */
    public dev.sessiontools.v1.AcquireDeliveriesResponse acquireDeliveries(dev.sessiontools.v1.AcquireDeliveriesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getAcquireDeliveriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * AckDelivery tells that the text was sent. Repeated with the same token, it gives the first answer. LEASE_LOST,
     * DELIVERY_NOT_FOUND.
     * </pre>
     */
    public dev.sessiontools.v1.AckDeliveryResponse ackDelivery(dev.sessiontools.v1.AckDeliveryRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getAckDeliveryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * NackDelivery tells that the text was not sent. It is offered again after 1 second, then ever longer up to 5
     * minutes, and given up after the configured time, 24 hours by default. LEASE_LOST, DELIVERY_NOT_FOUND.
     * </pre>
     */
    public dev.sessiontools.v1.NackDeliveryResponse nackDelivery(dev.sessiontools.v1.NackDeliveryRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getNackDeliveryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ListDeliveries lists deliveries, the newest first. For owners only.
     * </pre>
     */
    public dev.sessiontools.v1.ListDeliveriesResponse listDeliveries(dev.sessiontools.v1.ListDeliveriesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListDeliveriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * RetryDelivery puts a DEAD or UNCONFIRMED delivery back to PENDING. For owners only. DELIVERY_NOT_FOUND,
     * DELIVERY_STATE.
     * </pre>
     */
    public dev.sessiontools.v1.RetryDeliveryResponse retryDelivery(dev.sessiontools.v1.RetryDeliveryRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getRetryDeliveryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * DiscardDelivery ends a delivery that is not final, or a dead one, as SUPPRESSED with `DISCARDED`. For owners only.
     * DELIVERY_NOT_FOUND, DELIVERY_STATE.
     * </pre>
     */
    public dev.sessiontools.v1.DiscardDeliveryResponse discardDelivery(dev.sessiontools.v1.DiscardDeliveryRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDiscardDeliveryMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service GatewayService.
   * <pre>
   * GatewayService is for the programs that connect channels with sessions, and for operators. Gateways and owners may
   * call it; ListDeliveries, RetryDelivery and DiscardDelivery are for owners only. Others get ROLE_DENIED.
   * </pre>
   */
  public static final class GatewayServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<GatewayServiceFutureStub> {
    private GatewayServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected GatewayServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new GatewayServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * ChatSend brings a message from outside into a session, making the session if need be, and starts a run. Refused
     * with INVALID_KEY, MESSAGE_TOO_LARGE, SEND_POLICY_DENIED or QUEUE_FULL. A standalone `/send on`, `/send off` or
     * `/send inherit` is a command: an owner's sets the session's send policy, another's is ignored.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.ChatSendResponse> chatSend(
        dev.sessiontools.v1.ChatSendRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getChatSendMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * ChatAbort stops the unfinished runs of a session and the runs that they caused, or one of them. Safe to repeat.
     * SESSION_NOT_FOUND, RUN_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.ChatAbortResponse> chatAbort(
        dev.sessiontools.v1.ChatAbortRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getChatAbortMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * SessionsPatch changes a session's settings, all or none of them. SESSION_NOT_FOUND, MODEL_UNKNOWN, ETAG_MISMATCH.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.SessionsPatchResponse> sessionsPatch(
        dev.sessiontools.v1.SessionsPatchRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSessionsPatchMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * SessionsReset begins a new generation under the same key, with an empty transcript. The settings stay.
     * SESSION_NOT_FOUND, SESSION_BUSY under an unfinished run, whose reply belongs to the old transcript.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.SessionsResetResponse> sessionsReset(
        dev.sessiontools.v1.SessionsResetRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSessionsResetMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * SessionsDelete archives a session, or removes it for good. SESSION_NOT_FOUND, SESSION_BUSY under an unfinished run,
     * SESSION_PROTECTED for an agent's main session.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.SessionsDeleteResponse> sessionsDelete(
        dev.sessiontools.v1.SessionsDeleteRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSessionsDeleteMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * SessionsResolve finds one session by key, id or label. Nothing is made. SESSION_NOT_FOUND, LABEL_AMBIGUOUS.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.SessionsResolveResponse> sessionsResolve(
        dev.sessiontools.v1.SessionsResolveRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSessionsResolveMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * AcquireDeliveries takes outgoing texts to send, the oldest of each route first; the next of a route comes only when
     * the one before has an outcome or backs off for more than a minute. Each must be acknowledged before its
     * lease_expires; else it becomes UNCONFIRMED and is offered again as possibly_delivered.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.AcquireDeliveriesResponse> acquireDeliveries(
        dev.sessiontools.v1.AcquireDeliveriesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getAcquireDeliveriesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * AckDelivery tells that the text was sent. Repeated with the same token, it gives the first answer. LEASE_LOST,
     * DELIVERY_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.AckDeliveryResponse> ackDelivery(
        dev.sessiontools.v1.AckDeliveryRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getAckDeliveryMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * NackDelivery tells that the text was not sent. It is offered again after 1 second, then ever longer up to 5
     * minutes, and given up after the configured time, 24 hours by default. LEASE_LOST, DELIVERY_NOT_FOUND.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.NackDeliveryResponse> nackDelivery(
        dev.sessiontools.v1.NackDeliveryRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getNackDeliveryMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * ListDeliveries lists deliveries, the newest first. For owners only.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.ListDeliveriesResponse> listDeliveries(
        dev.sessiontools.v1.ListDeliveriesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListDeliveriesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * RetryDelivery puts a DEAD or UNCONFIRMED delivery back to PENDING. For owners only. DELIVERY_NOT_FOUND,
     * DELIVERY_STATE.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.RetryDeliveryResponse> retryDelivery(
        dev.sessiontools.v1.RetryDeliveryRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getRetryDeliveryMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * DiscardDelivery ends a delivery that is not final, or a dead one, as SUPPRESSED with `DISCARDED`. For owners only.
     * DELIVERY_NOT_FOUND, DELIVERY_STATE.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.sessiontools.v1.DiscardDeliveryResponse> discardDelivery(
        dev.sessiontools.v1.DiscardDeliveryRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDiscardDeliveryMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_CHAT_SEND = 0;
  private static final int METHODID_CHAT_ABORT = 1;
  private static final int METHODID_SESSIONS_PATCH = 2;
  private static final int METHODID_SESSIONS_RESET = 3;
  private static final int METHODID_SESSIONS_DELETE = 4;
  private static final int METHODID_SESSIONS_RESOLVE = 5;
  private static final int METHODID_ACQUIRE_DELIVERIES = 6;
  private static final int METHODID_ACK_DELIVERY = 7;
  private static final int METHODID_NACK_DELIVERY = 8;
  private static final int METHODID_LIST_DELIVERIES = 9;
  private static final int METHODID_RETRY_DELIVERY = 10;
  private static final int METHODID_DISCARD_DELIVERY = 11;

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
        case METHODID_CHAT_SEND:
          serviceImpl.chatSend((dev.sessiontools.v1.ChatSendRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.ChatSendResponse>) responseObserver);
          break;
        case METHODID_CHAT_ABORT:
          serviceImpl.chatAbort((dev.sessiontools.v1.ChatAbortRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.ChatAbortResponse>) responseObserver);
          break;
        case METHODID_SESSIONS_PATCH:
          serviceImpl.sessionsPatch((dev.sessiontools.v1.SessionsPatchRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsPatchResponse>) responseObserver);
          break;
        case METHODID_SESSIONS_RESET:
          serviceImpl.sessionsReset((dev.sessiontools.v1.SessionsResetRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsResetResponse>) responseObserver);
          break;
        case METHODID_SESSIONS_DELETE:
          serviceImpl.sessionsDelete((dev.sessiontools.v1.SessionsDeleteRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsDeleteResponse>) responseObserver);
          break;
        case METHODID_SESSIONS_RESOLVE:
          serviceImpl.sessionsResolve((dev.sessiontools.v1.SessionsResolveRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.SessionsResolveResponse>) responseObserver);
          break;
        case METHODID_ACQUIRE_DELIVERIES:
          serviceImpl.acquireDeliveries((dev.sessiontools.v1.AcquireDeliveriesRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.AcquireDeliveriesResponse>) responseObserver);
          break;
        case METHODID_ACK_DELIVERY:
          serviceImpl.ackDelivery((dev.sessiontools.v1.AckDeliveryRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.AckDeliveryResponse>) responseObserver);
          break;
        case METHODID_NACK_DELIVERY:
          serviceImpl.nackDelivery((dev.sessiontools.v1.NackDeliveryRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.NackDeliveryResponse>) responseObserver);
          break;
        case METHODID_LIST_DELIVERIES:
          serviceImpl.listDeliveries((dev.sessiontools.v1.ListDeliveriesRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.ListDeliveriesResponse>) responseObserver);
          break;
        case METHODID_RETRY_DELIVERY:
          serviceImpl.retryDelivery((dev.sessiontools.v1.RetryDeliveryRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.RetryDeliveryResponse>) responseObserver);
          break;
        case METHODID_DISCARD_DELIVERY:
          serviceImpl.discardDelivery((dev.sessiontools.v1.DiscardDeliveryRequest) request,
              (io.grpc.stub.StreamObserver<dev.sessiontools.v1.DiscardDeliveryResponse>) responseObserver);
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
          getChatSendMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.ChatSendRequest,
              dev.sessiontools.v1.ChatSendResponse>(
                service, METHODID_CHAT_SEND)))
        .addMethod(
          getChatAbortMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.ChatAbortRequest,
              dev.sessiontools.v1.ChatAbortResponse>(
                service, METHODID_CHAT_ABORT)))
        .addMethod(
          getSessionsPatchMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.SessionsPatchRequest,
              dev.sessiontools.v1.SessionsPatchResponse>(
                service, METHODID_SESSIONS_PATCH)))
        .addMethod(
          getSessionsResetMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.SessionsResetRequest,
              dev.sessiontools.v1.SessionsResetResponse>(
                service, METHODID_SESSIONS_RESET)))
        .addMethod(
          getSessionsDeleteMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.SessionsDeleteRequest,
              dev.sessiontools.v1.SessionsDeleteResponse>(
                service, METHODID_SESSIONS_DELETE)))
        .addMethod(
          getSessionsResolveMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.SessionsResolveRequest,
              dev.sessiontools.v1.SessionsResolveResponse>(
                service, METHODID_SESSIONS_RESOLVE)))
        .addMethod(
          getAcquireDeliveriesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.AcquireDeliveriesRequest,
              dev.sessiontools.v1.AcquireDeliveriesResponse>(
                service, METHODID_ACQUIRE_DELIVERIES)))
        .addMethod(
          getAckDeliveryMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.AckDeliveryRequest,
              dev.sessiontools.v1.AckDeliveryResponse>(
                service, METHODID_ACK_DELIVERY)))
        .addMethod(
          getNackDeliveryMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.NackDeliveryRequest,
              dev.sessiontools.v1.NackDeliveryResponse>(
                service, METHODID_NACK_DELIVERY)))
        .addMethod(
          getListDeliveriesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.ListDeliveriesRequest,
              dev.sessiontools.v1.ListDeliveriesResponse>(
                service, METHODID_LIST_DELIVERIES)))
        .addMethod(
          getRetryDeliveryMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.RetryDeliveryRequest,
              dev.sessiontools.v1.RetryDeliveryResponse>(
                service, METHODID_RETRY_DELIVERY)))
        .addMethod(
          getDiscardDeliveryMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.sessiontools.v1.DiscardDeliveryRequest,
              dev.sessiontools.v1.DiscardDeliveryResponse>(
                service, METHODID_DISCARD_DELIVERY)))
        .build();
  }

  private static abstract class GatewayServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    GatewayServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.sessiontools.v1.GatewayServiceOuterClass.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("GatewayService");
    }
  }

  private static final class GatewayServiceFileDescriptorSupplier
      extends GatewayServiceBaseDescriptorSupplier {
    GatewayServiceFileDescriptorSupplier() {}
  }

  private static final class GatewayServiceMethodDescriptorSupplier
      extends GatewayServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    GatewayServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (GatewayServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new GatewayServiceFileDescriptorSupplier())
              .addMethod(getChatSendMethod())
              .addMethod(getChatAbortMethod())
              .addMethod(getSessionsPatchMethod())
              .addMethod(getSessionsResetMethod())
              .addMethod(getSessionsDeleteMethod())
              .addMethod(getSessionsResolveMethod())
              .addMethod(getAcquireDeliveriesMethod())
              .addMethod(getAckDeliveryMethod())
              .addMethod(getNackDeliveryMethod())
              .addMethod(getListDeliveriesMethod())
              .addMethod(getRetryDeliveryMethod())
              .addMethod(getDiscardDeliveryMethod())
              .build();
        }
      }
    }
    return result;
  }
}
