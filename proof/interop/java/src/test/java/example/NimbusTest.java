package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.openid.connect.sdk.op.OIDCProviderMetadata;
import com.nimbusds.oauth2.sdk.id.Issuer;
import java.net.URI;
import org.junit.jupiter.api.Test;

/** Nimbus, unmodified, against the service that ISSUER names. */
class NimbusTest {
    private final NimbusAgent agent = Surroundings.nimbus(Surroundings.CLIENT_SECRET);

    private String take(String resource) throws Exception {
        var answer = agent.token("db:read", URI.create(resource));
        return answer.toSuccessResponse().getTokens().getAccessToken().getValue();
    }

    @Test
    void discoversTheServiceAsOpenidConnectToo() throws Exception {
        assertEquals(
                URI.create(Surroundings.ISSUER + "/oauth/token"),
                OIDCProviderMetadata.resolve(new Issuer(Surroundings.ISSUER)).getTokenEndpointURI());
    }

    @Test
    void tokenWithScopeAndResource() throws Exception {
        var answer = agent.token("db:read db:write", URI.create(Surroundings.ORDERS)).toSuccessResponse();
        var token = answer.getTokens().getBearerAccessToken();
        assertEquals(Scope.parse("db:read db:write"), token.getScope());
        var claims = new NimbusKeys(Surroundings.ISSUER, Surroundings.ORDERS).check(token.getValue());
        assertEquals(Surroundings.CLIENT_ID, claims.getStringClaim("client_id"));
    }

    @Test
    void tokenWithoutScopeAndResourceHasTheDefaults() throws Exception {
        var token = agent.token(null, null).toSuccessResponse().getTokens().getAccessToken();
        // The audience is the issuer, unless the service is configured otherwise.
        var claims = new NimbusKeys(Surroundings.ISSUER, Surroundings.ISSUER).check(token.getValue());
        assertEquals("db:read", claims.getStringClaim("scope"));
    }

    @Test
    void refusalsAreRead() throws Exception {
        var wrong = Surroundings.nimbus("wrong").token(null, null);
        assertEquals("invalid_client", wrong.toErrorResponse().getErrorObject().getCode());
        var scope = agent.token("mail:send", null);
        assertEquals("invalid_scope", scope.toErrorResponse().getErrorObject().getCode());
        // Nimbus itself refuses a resource that is no absolute URI.
        assertThrows(IllegalStateException.class, () -> agent.token(null, URI.create("not-a-uri")));
    }

    @Test
    void keysTakeATokenForTheirResourceAndNoOther() throws Exception {
        var token = take(Surroundings.ORDERS);
        new NimbusKeys(Surroundings.ISSUER, Surroundings.ORDERS).check(token);
        var elsewhere = new NimbusKeys(Surroundings.ISSUER, Surroundings.MAIL);
        assertThrows(BadJOSEException.class, () -> elsewhere.check(token));
        var keys = new NimbusKeys(Surroundings.ISSUER, Surroundings.ORDERS);
        assertThrows(BadJOSEException.class, () -> keys.check(Surroundings.forge(token)));
    }

    @Test
    void introspectionAndRevocation() throws Exception {
        var introspection = Surroundings.introspection(Surroundings.ORDERS);
        var token = take(Surroundings.ORDERS);
        var found = introspection.check(token).orElseThrow();
        assertEquals(Surroundings.CLIENT_ID, found.getClientID().getValue());
        assertTrue(Surroundings.introspection(Surroundings.MAIL).check(token).isEmpty());
        agent.revoke(token);
        assertTrue(introspection.check(token).isEmpty());
        // What has only the keys cannot know.
        new NimbusKeys(Surroundings.ISSUER, Surroundings.ORDERS).check(token);
    }
}
