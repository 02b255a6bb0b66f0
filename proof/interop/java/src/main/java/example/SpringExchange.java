package example;

import org.springframework.security.oauth2.client.endpoint.RestClientTokenExchangeTokenResponseClient;
import org.springframework.security.oauth2.client.endpoint.TokenExchangeGrantRequest;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.core.OAuth2Token;
import org.springframework.security.oauth2.core.endpoint.OAuth2AccessTokenResponse;
import org.springframework.util.LinkedMultiValueMap;

/** Exchanges a token that was received for one to send on (RFC 8693), with Spring Security. */
public final class SpringExchange {
    private final ClientRegistration registration;
    private final RestClientTokenExchangeTokenResponseClient client = new RestClientTokenExchangeTokenResponseClient();

    public SpringExchange(String issuer, String id, String secret, String resource) {
        registration = ClientRegistrations.fromIssuerLocation(issuer)
                .clientId(id)
                .clientSecret(secret)
                .authorizationGrantType(AuthorizationGrantType.TOKEN_EXCHANGE)
                .build();
        client.addParametersConverter(request -> {
            var parameters = new LinkedMultiValueMap<String, String>();
            parameters.add("resource", resource);
            return parameters;
        });
    }

    public OAuth2AccessTokenResponse token(OAuth2Token received) {
        return client.getTokenResponse(new TokenExchangeGrantRequest(registration, received, null));
    }
}
