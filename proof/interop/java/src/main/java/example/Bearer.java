package example;

import java.util.List;

/** Finds the token in a request. */
public final class Bearer {
    private Bearer() {}

    /** The token of a request's Authorization lines; empty where there is none, or more than one line that could hold it. */
    public static String tokenOf(List<String> lines) {
        if (lines == null || lines.size() != 1) return "";
        var parts = lines.get(0).split(" ", 2);
        return parts.length == 2 && parts[0].equalsIgnoreCase("Bearer") ? parts[1].strip() : "";
    }
}
