package example;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import java.net.MalformedURLException;
import java.net.URI;
import java.text.ParseException;
import java.util.Set;

/** Checks Mintmark's access tokens by the published keys: a revoked token passes until its exp. */
public final class NimbusKeys {
    private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();

    public NimbusKeys(String issuer, String resource) throws MalformedURLException {
        var address = URI.create(issuer + "/.well-known/jwks.json").toURL();
        var keys = JWKSourceBuilder.create(address).retrying(true).build();
        processor.setJWSTypeVerifier(new DefaultJOSEObjectTypeVerifier<>(new JOSEObjectType("at+jwt")));
        processor.setJWSKeySelector(
                new JWSVerificationKeySelector<>(Set.of(JWSAlgorithm.ES256, JWSAlgorithm.RS256), keys));
        processor.setJWTClaimsSetVerifier(new DefaultJWTClaimsVerifier<>(
                Set.of(resource),
                new JWTClaimsSet.Builder().issuer(issuer).build(),
                Set.of("sub", "exp", "client_id"),
                // A token that is bound to a key, whose proof is not checked here.
                Set.of("cnf")));
    }

    /** The claims of a bearer token of this issuer for this resource. */
    public JWTClaimsSet check(String token) throws ParseException, BadJOSEException, JOSEException {
        return processor.process(token, null);
    }
}
