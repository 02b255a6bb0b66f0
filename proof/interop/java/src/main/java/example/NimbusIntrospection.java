package example;

import com.nimbusds.oauth2.sdk.GeneralException;
import com.nimbusds.oauth2.sdk.TokenIntrospectionRequest;
import com.nimbusds.oauth2.sdk.TokenIntrospectionResponse;
import com.nimbusds.oauth2.sdk.TokenIntrospectionSuccessResponse;
import com.nimbusds.oauth2.sdk.as.AuthorizationServerMetadata;
import com.nimbusds.oauth2.sdk.auth.ClientAuthentication;
import com.nimbusds.oauth2.sdk.auth.ClientSecretBasic;
import com.nimbusds.oauth2.sdk.auth.Secret;
import com.nimbusds.oauth2.sdk.id.Audience;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.id.Issuer;
import com.nimbusds.oauth2.sdk.token.BearerAccessToken;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;

/** Checks Mintmark's access tokens by asking it: a revoked token is refused at once. */
public final class NimbusIntrospection {
    private final URI endpoint;
    private final ClientAuthentication authentication;
    private final Audience resource;

    /** The API key has the permission tokens:introspect. */
    public NimbusIntrospection(String issuer, String resource, String apiKeyId, String apiKey)
            throws GeneralException, IOException {
        endpoint = AuthorizationServerMetadata.resolve(new Issuer(issuer)).getIntrospectionEndpointURI();
        authentication = new ClientSecretBasic(new ClientID(apiKeyId), new Secret(apiKey));
        this.resource = new Audience(resource);
    }

    /** What Mintmark says of a bearer token that is active and for this resource; empty for every other one. */
    public Optional<TokenIntrospectionSuccessResponse> check(String token) throws GeneralException, IOException {
        var request = new TokenIntrospectionRequest(endpoint, authentication, new BearerAccessToken(token));
        var answer = TokenIntrospectionResponse.parse(request.toHTTPRequest().send());
        // Null where the API key is refused, or Mintmark cannot answer.
        if (!answer.indicatesSuccess()) throw new GeneralException(answer.toErrorResponse().getErrorObject());
        var found = answer.toSuccessResponse();
        var isOurs = found.isActive() && found.getAudience().contains(resource);
        // Nobody has checked the proof of a token that is bound to a key.
        return isOurs && found.getJSONObjectParameter("cnf") == null ? Optional.of(found) : Optional.empty();
    }
}
