package example;

import java.util.Collections;
import java.util.List;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.server.resource.BearerTokenErrors;
import org.springframework.security.oauth2.server.resource.introspection.BadOpaqueTokenException;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;
import org.springframework.security.oauth2.server.resource.introspection.SpringOpaqueTokenIntrospector;
import org.springframework.security.oauth2.server.resource.web.BearerTokenResolver;
import org.springframework.security.oauth2.server.resource.web.DefaultBearerTokenResolver;

/** What Spring Security's resource server is given, each as a bean: the resolver, and a decoder or an introspector. */
public final class SpringResourceServer {
    private SpringResourceServer() {}

    /** Spring takes the first of two Authorization lines; here they are refused. */
    public static BearerTokenResolver resolver() {
        var resolver = new DefaultBearerTokenResolver();
        return request -> {
            if (Collections.list(request.getHeaders("Authorization")).size() > 1) {
                throw new OAuth2AuthenticationException(
                        BearerTokenErrors.invalidRequest("There is more than one Authorization header"));
            }
            return resolver.resolve(request);
        };
    }

    /** By the published keys: no request a token, and a revoked token passes until its exp. */
    public static JwtDecoder decoder(String issuer, String resource) {
        // The validator below looks at the type; the decoder's own check takes only "JWT".
        var decoder = NimbusJwtDecoder.withIssuerLocation(issuer).validateType(false).build();
        decoder.setJwtValidator(JwtValidators.createAtJwtValidator()
                .issuer(issuer)
                .audience(resource)
                .validators(all -> all.put("cnf", SpringResourceServer::refuseBound))
                .build());
        return decoder;
    }

    /** Nobody has checked the proof of a token that is bound to a key. */
    private static OAuth2TokenValidatorResult refuseBound(Jwt token) {
        return token.hasClaim("cnf")
                ? OAuth2TokenValidatorResult.failure(BearerTokenErrors.invalidToken("The token is bound to a key"))
                : OAuth2TokenValidatorResult.success();
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
            // Spring looks at neither: the audience, and the key that a token is bound to.
            if (principal.getAttribute("aud") instanceof List<?> audience
                    && audience.contains(resource)
                    && principal.getAttribute("cnf") == null) {
                return new DefaultOAuth2AuthenticatedPrincipal(
                        principal.getName(), principal.getAttributes(), List.copyOf(principal.getAuthorities()));
            }
            throw new BadOpaqueTokenException("The token is for another resource, or bound to a key");
        };
    }
}
