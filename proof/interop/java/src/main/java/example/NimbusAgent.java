package example;

import com.nimbusds.oauth2.sdk.ClientCredentialsGrant;
import com.nimbusds.oauth2.sdk.GeneralException;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.TokenResponse;
import com.nimbusds.oauth2.sdk.TokenRevocationRequest;
import com.nimbusds.oauth2.sdk.as.AuthorizationServerMetadata;
import com.nimbusds.oauth2.sdk.auth.ClientAuthentication;
import com.nimbusds.oauth2.sdk.auth.ClientSecretBasic;
import com.nimbusds.oauth2.sdk.auth.Secret;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.id.Issuer;
import com.nimbusds.oauth2.sdk.token.BearerAccessToken;
import java.io.IOException;
import java.net.URI;

/** Gets and revokes Mintmark's access tokens with Nimbus' oauth2-oidc-sdk. */
public final class NimbusAgent {
    private final AuthorizationServerMetadata metadata;
    private final ClientAuthentication authentication;

    public NimbusAgent(String issuer, String id, String secret) throws GeneralException, IOException {
        metadata = AuthorizationServerMetadata.resolve(new Issuer(issuer));
        authentication = new ClientSecretBasic(new ClientID(id), new Secret(secret));
    }

    /** Asks for a scope and a resource, or for the agent's default where one is null. */
    public TokenResponse token(String scope, URI resource) throws GeneralException, IOException {
        var request = new TokenRequest.Builder(
                metadata.getTokenEndpointURI(), authentication, new ClientCredentialsGrant());
        if (scope != null) request.scope(Scope.parse(scope));
        if (resource != null) request.resource(resource);
        return TokenResponse.parse(request.build().toHTTPRequest().send());
    }

    public void revoke(String token) throws GeneralException, IOException {
        var request = new TokenRevocationRequest(
                metadata.getRevocationEndpointURI(), authentication, new BearerAccessToken(token));
        request.toHTTPRequest().send().ensureStatusCode(200);
    }
}
