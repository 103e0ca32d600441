package dev.sessiontools;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;

import dev.sessiontools.v1.GatewayServiceOuterClass;
import dev.sessiontools.v1.RuntimeServiceOuterClass;
import dev.sessiontools.v1.SessionToolsServiceOuterClass;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Stream;

class ServicesTest {
    static Stream<Arguments> services() {
        return Stream.of(
                arguments(
                        SessionTools.class,
                        SessionToolsServiceOuterClass.getDescriptor()
                                .findServiceByName("SessionToolsService")),
                arguments(
                        GatewayClient.class,
                        GatewayServiceOuterClass.getDescriptor()
                                .findServiceByName("GatewayService")),
                arguments(
                        RuntimeClient.class,
                        RuntimeServiceOuterClass.getDescriptor()
                                .findServiceByName("RuntimeService")));
    }

    @ParameterizedTest
    @MethodSource("services")
    void everyMethodOfTheContractIsThere(Class<?> client, ServiceDescriptor service) {
        for (MethodDescriptor method : service.getMethods()) {
            assertNotNull(found(client, method), method.getFullName());
        }
    }

    private static Method found(Class<?> client, MethodDescriptor method) {
        String name =
                method.getName().substring(0, 1).toLowerCase() + method.getName().substring(1);
        return Arrays.stream(client.getMethods())
                .filter(each -> each.getName().equals(name))
                .filter(each -> takes(each, method.getInputType().getName()))
                .findFirst()
                .orElse(null);
    }

    private static boolean takes(Method method, String request) {
        Class<?>[] types = method.getParameterTypes();
        return types.length == 1 && types[0].getSimpleName().equals(request);
    }
}
