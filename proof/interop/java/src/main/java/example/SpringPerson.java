package example;

import org.springframework.security.oauth2.client.endpoint.JwtBearerGrantRequest;
import org.springframework.security.oauth2.client.endpoint.RestClientJwtBearerTokenResponseClient;
import org.springframework.security.oauth2.client.endpoint.RestClientTokenExchangeTokenResponseClient;
import org.springframework.security.oauth2.client.endpoint.TokenExchangeGrantRequest;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.core.endpoint.OAuth2AccessTokenResponse;
import org.springframework.security.oauth2.core.oidc.OidcIdToken;
import org.springframework.security.oauth2.jwt.Jwt;

/** Gets Mintmark's access tokens for a person who signed in, with Spring Security. */
public final class SpringPerson {
    private final ClientRegistration exchanging;
    private final ClientRegistration presenting;
    private final RestClientTokenExchangeTokenResponseClient exchange =
            new RestClientTokenExchangeTokenResponseClient();
    private final RestClientJwtBearerTokenResponseClient jwtBearer = new RestClientJwtBearerTokenResponseClient();

    public SpringPerson(String issuer, String id, String secret, String resource) {
        exchanging = ClientRegistrations.fromIssuerLocation(issuer)
                .clientId(id)
                .clientSecret(secret)
                .authorizationGrantType(AuthorizationGrantType.TOKEN_EXCHANGE)
                .build();
        presenting = ClientRegistration.withClientRegistration(exchanging)
                .authorizationGrantType(AuthorizationGrantType.JWT_BEARER)
                .build();
        exchange.setParametersCustomizer(parameters -> {
            // Spring would say that it is an access token.
            parameters.set("subject_token_type", SpringProvider.ID_TOKEN);
            parameters.set("resource", resource);
        });
        jwtBearer.setParametersCustomizer(parameters -> parameters.set("resource", resource));
    }

    /** Exchanges the ID token of a sign-in (RFC 8693). */
    public OAuth2AccessTokenResponse exchange(OidcIdToken idToken) {
        return exchange.getTokenResponse(new TokenExchangeGrantRequest(exchanging, idToken, null));
    }

    /** Presents an ID-JAG (RFC 7523), which works once. */
    public OAuth2AccessTokenResponse present(Jwt idJag) {
        return jwtBearer.getTokenResponse(new JwtBearerGrantRequest(presenting, idJag));
    }
}
