package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.nimbusds.jose.proc.BadJOSEException;
import com.sun.net.httpserver.HttpServer;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.text.ParseException;
import java.util.Arrays;
import java.util.concurrent.Executors;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;
import org.springframework.security.oauth2.server.resource.web.BearerTokenResolver;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.filter.DelegatingFilterProxy;

/** The recipes in Java over HTTP, against the table of requests. */
class TableTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    private static void hold(int port, String checks) throws Exception {
        var address = "http://127.0.0.1:" + port;
        var program = new ProcessBuilder(
                        System.getenv("NODE"), "../requests/run.ts", "--address", address, "--kind", "api", "--checks", checks)
                .redirectErrorStream(true)
                .start();
        var output = new String(program.getInputStream().readAllBytes());
        assertEquals(0, program.waitFor(), output);
    }

    /** The scope of a token that is accepted, else null. */
    private interface Check {
        String scopeOf(String token) throws Exception;
    }

    private static int statusOf(String token, Check check) throws Exception {
        var scope = token.isEmpty() ? null : check.scopeOf(token);
        if (scope == null) return 401;
        return Arrays.asList(scope.split(" ")).contains("db:read") ? 200 : 403;
    }

    /** Answers 401 to a token that the check refuses and 403 to one without db:read, as long as the table is sent. */
    private static void holdNimbus(Check check, String checks) throws Exception {
        var server = HttpServer.create(new InetSocketAddress(LOOPBACK, 0), 0);
        var executor = Executors.newCachedThreadPool();
        server.setExecutor(executor);
        server.createContext("/", exchange -> {
            try (exchange) {
                var token = Bearer.tokenOf(exchange.getRequestHeaders().get("Authorization"));
                exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
                exchange.sendResponseHeaders(statusOf(token, check), -1);
            } catch (Exception fault) {
                fault.printStackTrace();
            }
        });
        server.start();
        try {
            hold(server.getAddress().getPort(), checks);
        } finally {
            server.stop(0);
            executor.shutdown();
        }
    }

    @Test
    void nimbusByKeys() throws Exception {
        var keys = new NimbusKeys(Surroundings.ISSUER, Surroundings.ORDERS);
        holdNimbus(
                token -> {
                    try {
                        return keys.check(token).getStringClaim("scope");
                    } catch (BadJOSEException | ParseException refused) {
                        return null;
                    }
                },
                "keys");
    }

    @Test
    void nimbusByIntrospection() throws Exception {
        var introspection = Surroundings.introspection(Surroundings.ORDERS);
        holdNimbus(
                token -> introspection.check(token).map(found -> found.getScope().toString()).orElse(null),
                "introspection");
    }

    @EnableWebSecurity
    static class Common {
        @Bean
        BearerTokenResolver resolver() {
            return SpringResourceServer.resolver();
        }

        static HttpSecurity reading(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(all -> all.anyRequest().hasAuthority("SCOPE_db:read"));
        }
    }

    static class ByKeys extends Common {
        @Bean
        JwtDecoder decoder() {
            return SpringResourceServer.decoder(Surroundings.ISSUER, Surroundings.ORDERS);
        }

        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return reading(http).oauth2ResourceServer(server -> server.jwt(Customizer.withDefaults())).build();
        }
    }

    static class ByIntrospection extends Common {
        @Bean
        OpaqueTokenIntrospector introspector() {
            return SpringResourceServer.introspector(
                    Surroundings.ISSUER, Surroundings.ORDERS, Surroundings.API_KEY_ID, Surroundings.API_KEY);
        }

        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return reading(http).oauth2ResourceServer(server -> server.opaqueToken(Customizer.withDefaults())).build();
        }
    }

    private static void holdSpring(Class<?> configuration, String checks) throws Exception {
        var spring = new AnnotationConfigWebApplicationContext();
        spring.register(configuration);
        var tomcat = new Tomcat();
        tomcat.setBaseDir(System.getenv("BUILD") + "/java/tomcat");
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        tomcat.getConnector().setPort(0);
        var context = tomcat.addContext("", null);
        spring.setServletContext(context.getServletContext());
        spring.refresh();
        var filter = new FilterDef();
        filter.setFilterName("springSecurityFilterChain");
        filter.setFilter(new DelegatingFilterProxy("springSecurityFilterChain", spring));
        context.addFilterDef(filter);
        var mapping = new FilterMap();
        mapping.setFilterName("springSecurityFilterChain");
        mapping.addURLPattern("/*");
        context.addFilterMap(mapping);
        Tomcat.addServlet(context, "orders", new HttpServlet() {
            @Override
            protected void doGet(HttpServletRequest request, HttpServletResponse response) {}
        });
        context.addServletMappingDecoded("/", "orders");
        tomcat.start();
        try {
            hold(tomcat.getConnector().getLocalPort(), checks);
        } finally {
            tomcat.stop();
            tomcat.destroy();
            spring.close();
        }
    }

    @Test
    void springByKeys() throws Exception {
        holdSpring(ByKeys.class, "keys");
    }

    @Test
    void springByIntrospection() throws Exception {
        holdSpring(ByIntrospection.class, "introspection");
    }
}
