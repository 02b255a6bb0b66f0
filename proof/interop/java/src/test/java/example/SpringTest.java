package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.security.oauth2.client.endpoint.RestClientTokenExchangeTokenResponseClient;
import org.springframework.security.oauth2.client.endpoint.TokenExchangeGrantRequest;
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.core.ClientAuthenticationMethod;
import org.springframework.security.oauth2.core.OAuth2AuthorizationException;
import org.springframework.security.oauth2.core.endpoint.OAuth2AccessTokenResponse;
import org.springframework.security.oauth2.core.oidc.OidcIdToken;
import org.springframework.security.oauth2.jwt.JwtDecoders;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.server.resource.introspection.BadOpaqueTokenException;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;

/** Spring Security, unmodified, against the service that ISSUER names. */
class SpringTest {
    private static SpringAgent agent(String secret, String resource, String... scopes) {
        return new SpringAgent(Surroundings.ISSUER, Surroundings.CLIENT_ID, secret, resource, scopes);
    }

    private static String take(String resource) {
        return agent(Surroundings.CLIENT_SECRET, resource, "db:read").token().getAccessToken().getTokenValue();
    }

    private static OpaqueTokenIntrospector introspector(String resource) {
        return SpringResourceServer.introspector(
                Surroundings.ISSUER, resource, Surroundings.API_KEY_ID, Surroundings.API_KEY);
    }

    @Test
    void tokenWithScopeAndResource() {
        var token = agent(Surroundings.CLIENT_SECRET, Surroundings.ORDERS, "db:read", "db:write")
                .token()
                .getAccessToken();
        assertEquals(Set.of("db:read", "db:write"), token.getScopes());
        var jwt = SpringResourceServer.decoder(Surroundings.ISSUER, Surroundings.ORDERS).decode(token.getTokenValue());
        assertEquals(Surroundings.CLIENT_ID, jwt.getClaimAsString("client_id"));
    }

    @Test
    void tokenWithoutScopeAndResourceHasTheDefaults() {
        var token = agent(Surroundings.CLIENT_SECRET, null).token().getAccessToken();
        assertEquals(Set.of("db:read"), token.getScopes());
        // The audience is the issuer, unless the service is configured otherwise.
        SpringResourceServer.decoder(Surroundings.ISSUER, Surroundings.ISSUER).decode(token.getTokenValue());
    }

    @Test
    void refusalsAreRead() {
        assertEquals("invalid_scope", codeOf(agent(Surroundings.CLIENT_SECRET, null, "mail:send")));
        assertEquals("invalid_target", codeOf(agent(Surroundings.CLIENT_SECRET, "not-a-uri")));
    }

    @Test
    void aReceivedTokenIsExchangedAndEndsWithTheFirst() throws Exception {
        var received = agent(Surroundings.CLIENT_SECRET, Surroundings.ORDERS, "db:read").token().getAccessToken();
        var exchange = new SpringExchange(
                Surroundings.ISSUER,
                Surroundings.ORDERS_CLIENT_ID,
                Surroundings.ORDERS_CLIENT_SECRET,
                Surroundings.MAIL);
        var token = exchange.token(received).getAccessToken();
        assertEquals(Set.of("db:read"), token.getScopes());
        var jwt = SpringResourceServer.decoder(Surroundings.ISSUER, Surroundings.MAIL).decode(token.getTokenValue());
        assertEquals(Surroundings.CLIENT_ID, jwt.getSubject());
        assertEquals(Map.of("sub", Surroundings.ORDERS_CLIENT_ID), jwt.getClaimAsMap("act"));
        introspector(Surroundings.MAIL).introspect(token.getTokenValue());
        Surroundings.nimbus(Surroundings.CLIENT_SECRET).revoke(received.getTokenValue());
        assertThrows(
                BadOpaqueTokenException.class,
                () -> introspector(Surroundings.MAIL).introspect(token.getTokenValue()));
    }

    @Test
    void whoMayNotExchangeHearsSo() {
        var received = agent(Surroundings.CLIENT_SECRET, Surroundings.ORDERS, "db:read").token().getAccessToken();
        var exchange = new SpringExchange(
                Surroundings.ISSUER, Surroundings.CLIENT_ID, Surroundings.CLIENT_SECRET, Surroundings.MAIL);
        var refused = assertThrows(OAuth2AuthorizationException.class, () -> exchange.token(received));
        assertEquals("unauthorized_client", refused.getError().getErrorCode());
    }

    /** As a sign-in with Spring has it. */
    private static OidcIdToken idToken() {
        var jwt = NimbusJwtDecoder.withIssuerLocation(Surroundings.PROVIDER).build().decode(Surroundings.ID_TOKEN);
        return new OidcIdToken(jwt.getTokenValue(), jwt.getIssuedAt(), jwt.getExpiresAt(), jwt.getClaims());
    }

    private static SpringPerson person() {
        return new SpringPerson(
                Surroundings.ISSUER,
                Surroundings.PERSON_CLIENT_ID,
                Surroundings.PERSON_CLIENT_SECRET,
                Surroundings.ORDERS);
    }

    private static void actsForAlice(OAuth2AccessTokenResponse response) {
        var token = response.getAccessToken();
        assertEquals(Set.of("db:read"), token.getScopes());
        var principal = introspector(Surroundings.ORDERS).introspect(token.getTokenValue());
        assertEquals("people:alice", principal.getAttribute("sub"));
        assertEquals(Surroundings.PERSON_CLIENT_ID, principal.getAttribute("client_id"));
        assertEquals(Map.of("sub", Surroundings.PERSON_CLIENT_ID), principal.getAttribute("act"));
    }

    @Test
    void anIdTokenIsExchangedForItsPerson() {
        actsForAlice(person().exchange(idToken()));
    }

    @Test
    void springByItselfExchangesAnIdTokenAsAnAccessToken() {
        var exchange = new SpringExchange(
                Surroundings.ISSUER,
                Surroundings.PERSON_CLIENT_ID,
                Surroundings.PERSON_CLIENT_SECRET,
                Surroundings.ORDERS);
        var refused = assertThrows(OAuth2AuthorizationException.class, () -> exchange.token(idToken()));
        assertEquals("invalid_request", refused.getError().getErrorCode());
    }

    @Test
    void springByItselfReadsNoAnswerWithAnIdJag() {
        var client = new RestClientTokenExchangeTokenResponseClient();
        client.setParametersCustomizer(parameters -> {
            parameters.set("subject_token_type", SpringProvider.ID_TOKEN);
            parameters.set("requested_token_type", SpringProvider.ID_JAG);
            parameters.set("audience", Surroundings.ISSUER);
        });
        var registration = ClientRegistrations.fromIssuerLocation(Surroundings.PROVIDER)
                .clientId(Surroundings.PROVIDER_CLIENT_ID)
                .clientSecret(Surroundings.PROVIDER_CLIENT_SECRET)
                .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_POST)
                .authorizationGrantType(AuthorizationGrantType.TOKEN_EXCHANGE)
                .build();
        var request = new TokenExchangeGrantRequest(registration, idToken(), null);
        var refused = assertThrows(OAuth2AuthorizationException.class, () -> client.getTokenResponse(request));
        assertEquals("invalid_token_response", refused.getError().getErrorCode());
        var cause = NestedExceptionUtils.getMostSpecificCause(refused).getMessage();
        assertEquals("tokenType cannot be null", cause);
    }

    @Test
    void anIdJagGetsOneToken() {
        var provider = new SpringProvider(
                Surroundings.PROVIDER + "/token",
                Surroundings.PROVIDER_CLIENT_ID,
                Surroundings.PROVIDER_CLIENT_SECRET);
        var idJag = provider.idJag(idToken(), Surroundings.ISSUER, Surroundings.ORDERS);
        actsForAlice(person().present(idJag));
        var refused = assertThrows(OAuth2AuthorizationException.class, () -> person().present(idJag));
        assertEquals("invalid_grant", refused.getError().getErrorCode());
    }

    @Test
    void theRefusalOfAWrongSecretIsInTheMessageAlone() {
        // Spring reads the code of answers with 400 only; RFC 6749 §5.2 wants 401 here.
        var refused = assertThrows(OAuth2AuthorizationException.class, agent("wrong", null)::token);
        assertEquals("invalid_token_response", refused.getError().getErrorCode());
        assertTrue(refused.getMessage().contains("invalid_client"), refused.getMessage());
    }

    private static String codeOf(SpringAgent refused) {
        return assertThrows(OAuth2AuthorizationException.class, refused::token).getError().getErrorCode();
    }

    @Test
    void theDecoderTakesATokenForItsResourceAndNoOther() {
        var token = take(Surroundings.ORDERS);
        var decoder = SpringResourceServer.decoder(Surroundings.ISSUER, Surroundings.ORDERS);
        decoder.decode(token);
        assertThrows(JwtException.class, () -> decoder.decode(Surroundings.forge(token)));
        var elsewhere = SpringResourceServer.decoder(Surroundings.ISSUER, Surroundings.MAIL);
        assertThrows(JwtException.class, () -> elsewhere.decode(token));
    }

    @Test
    void theDecoderThatSpringMakesByItselfRefusesTheType() {
        var decoder = JwtDecoders.fromIssuerLocation(Surroundings.ISSUER);
        assertThrows(JwtException.class, () -> decoder.decode(take(Surroundings.ORDERS)));
    }

    @Test
    void introspectionAndRevocation() throws Exception {
        var token = take(Surroundings.ORDERS);
        var principal = introspector(Surroundings.ORDERS).introspect(token);
        assertEquals(Surroundings.CLIENT_ID, principal.getAttribute("client_id"));
        assertThrows(BadOpaqueTokenException.class, () -> introspector(Surroundings.MAIL).introspect(token));
        Surroundings.nimbus(Surroundings.CLIENT_SECRET).revoke(token);
        assertThrows(BadOpaqueTokenException.class, () -> introspector(Surroundings.ORDERS).introspect(token));
        // What has only the keys cannot know.
        SpringResourceServer.decoder(Surroundings.ISSUER, Surroundings.ORDERS).decode(token);
    }
}
