package dev.sessiontools.driver;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.annotations.SerializedName;

import java.util.Base64;

/**
 * One line of input; README.md of tests/clients tells which command has which fields. Those that
 * are not there are null.
 */
record Command(
        JsonElement id,
        String op,
        String target,
        String method,
        String request,
        Double deadlineSeconds,
        String token,
        String actingSession,
        @SerializedName("wait") JsonElement waitId,
        Integer count) {

    private static final Gson GSON =
            new GsonBuilder()
                    .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
                    .create();

    static Command parse(String line) {
        return GSON.fromJson(line, Command.class);
    }

    byte[] requestBytes() {
        return Base64.getDecoder().decode(request);
    }
}
