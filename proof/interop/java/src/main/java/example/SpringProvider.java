package example;

import java.util.List;
import java.util.Map;
import org.springframework.http.MediaType;
import org.springframework.security.oauth2.core.oidc.OidcIdToken;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.util.MultiValueMap;
import org.springframework.web.client.RestClient;

/** Gets ID-JAGs from the provider at which people sign in, as the agent's client there. */
public final class SpringProvider {
    static final String ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token";
    static final String ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";

    private final String tokenUri;
    private final String id;
    private final String secret;

    public SpringProvider(String tokenUri, String id, String secret) {
        this.tokenUri = tokenUri;
        this.id = id;
        this.secret = secret;
    }

    /** Not by Spring's OAuth client, which refuses the answer: its token_type is N_A, for nothing is called with it. */
    public Jwt idJag(OidcIdToken idToken, String issuer, String resource) {
        var asked = Map.of(
                "grant_type", "urn:ietf:params:oauth:grant-type:token-exchange",
                "requested_token_type", ID_JAG,
                "subject_token", idToken.getTokenValue(),
                "subject_token_type", ID_TOKEN,
                "audience", issuer,
                "resource", resource,
                "client_id", id,
                "client_secret", secret);
        var answer = RestClient.create()
                .post()
                .uri(tokenUri)
                .contentType(MediaType.APPLICATION_FORM_URLENCODED)
                .body(MultiValueMap.fromSingleValue(asked))
                .retrieve()
                .body(Map.class);
        // Who presents it need not read it.
        return Jwt.withTokenValue((String) answer.get("access_token"))
                .header("typ", "oauth-id-jag+jwt")
                .audience(List.of(issuer))
                .build();
    }
}
