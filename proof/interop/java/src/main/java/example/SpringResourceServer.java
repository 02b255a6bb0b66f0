package example;

import java.util.List;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.server.resource.introspection.BadOpaqueTokenException;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;
import org.springframework.security.oauth2.server.resource.introspection.SpringOpaqueTokenIntrospector;

/** What Spring Security's resource server is given, each as a bean: a decoder, or an introspector. */
public final class SpringResourceServer {
    private SpringResourceServer() {}

    /** By the published keys: no request a token, and a revoked token passes until its exp. */
    public static JwtDecoder decoder(String issuer, String resource) {
        // The validator below looks at the type; the decoder's own check takes only "JWT".
        var decoder = NimbusJwtDecoder.withIssuerLocation(issuer).validateType(false).build();
        decoder.setJwtValidator(
                JwtValidators.createAtJwtValidator().issuer(issuer).audience(resource).build());
        return decoder;
    }

    /** By asking Mintmark: a revoked token is refused at once. The API key has tokens:introspect. */
    public static OpaqueTokenIntrospector introspector(
            String issuer, String resource, String apiKeyId, String apiKey) {
        var introspector = SpringOpaqueTokenIntrospector.withIntrospectionUri(issuer + "/oauth/introspect/v2")
                .clientId(apiKeyId)
                .clientSecret(apiKey)
                .build();
        return token -> {
            var principal = introspector.introspect(token);
            // Spring looks at no audience.
            if (principal.getAttribute("aud") instanceof List<?> audience && audience.contains(resource)) {
                return new DefaultOAuth2AuthenticatedPrincipal(
                        principal.getName(), principal.getAttributes(), List.copyOf(principal.getAuthorities()));
            }
            throw new BadOpaqueTokenException("The token is for another resource");
        };
    }
}
