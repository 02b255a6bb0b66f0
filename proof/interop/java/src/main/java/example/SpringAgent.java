package example;

import org.springframework.security.oauth2.client.endpoint.OAuth2ClientCredentialsGrantRequest;
import org.springframework.security.oauth2.client.endpoint.RestClientClientCredentialsTokenResponseClient;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.core.endpoint.OAuth2AccessTokenResponse;
import org.springframework.util.LinkedMultiValueMap;

/** Gets Mintmark's access tokens with Spring Security. */
public final class SpringAgent {
    private final ClientRegistration registration;
    private final RestClientClientCredentialsTokenResponseClient client =
            new RestClientClientCredentialsTokenResponseClient();

    /** Without scopes or a resource (null) the agent gets its defaults. */
    public SpringAgent(String issuer, String id, String secret, String resource, String... scopes) {
        registration = ClientRegistrations.fromIssuerLocation(issuer)
                .clientId(id)
                .clientSecret(secret)
                .authorizationGrantType(AuthorizationGrantType.CLIENT_CREDENTIALS)
                .scope(scopes)
                .build();
        client.addParametersConverter(request -> {
            var parameters = new LinkedMultiValueMap<String, String>();
            if (resource != null) parameters.add("resource", resource);
            return parameters;
        });
    }

    public OAuth2AccessTokenResponse token() {
        return client.getTokenResponse(new OAuth2ClientCredentialsGrantRequest(registration));
    }
}
