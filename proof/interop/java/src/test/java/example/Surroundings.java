package example;

/** What the runner puts into the environment. */
final class Surroundings {
    static final String ISSUER = System.getenv("ISSUER");
    static final String CLIENT_ID = System.getenv("CLIENT_ID");
    static final String CLIENT_SECRET = System.getenv("CLIENT_SECRET");
    static final String ORDERS_CLIENT_ID = System.getenv("ORDERS_CLIENT_ID");
    static final String ORDERS_CLIENT_SECRET = System.getenv("ORDERS_CLIENT_SECRET");
    static final String PERSON_CLIENT_ID = System.getenv("PERSON_CLIENT_ID");
    static final String PERSON_CLIENT_SECRET = System.getenv("PERSON_CLIENT_SECRET");
    static final String PROVIDER = System.getenv("PROVIDER");
    static final String PROVIDER_CLIENT_ID = System.getenv("PROVIDER_CLIENT_ID");
    static final String PROVIDER_CLIENT_SECRET = System.getenv("PROVIDER_CLIENT_SECRET");
    static final String ID_TOKEN = System.getenv("ID_TOKEN");
    static final String API_KEY_ID = System.getenv("API_KEY_ID");
    static final String API_KEY = System.getenv("API_KEY");
    static final String ORDERS = "https://orders.example/v1";
    static final String MAIL = "https://mail.example";

    private Surroundings() {}

    static NimbusAgent nimbus(String secret) {
        try {
            return new NimbusAgent(ISSUER, CLIENT_ID, secret);
        } catch (Exception fault) {
            throw new IllegalStateException(fault);
        }
    }

    static NimbusIntrospection introspection(String resource) {
        try {
            return new NimbusIntrospection(ISSUER, resource, API_KEY_ID, API_KEY);
        } catch (Exception fault) {
            throw new IllegalStateException(fault);
        }
    }

    static String forge(String token) {
        return token.substring(0, token.lastIndexOf('.') + 1) + "A".repeat(86);
    }
}
