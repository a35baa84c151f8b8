package io.mortise.cli;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a native image keeps of Mortise for reflection and as resources, by the files in its jars.
 *
 * @param resources patterns, in which a star stands for a part of one folder's or file's name
 * @param types the names of classes that may be asked for by name
 * @param members fields and methods, such as {@code com.acme.Order.number}
 */
record ImageMetadata(Set<String> resources, Set<String> types, Set<String> members) {
  private static final String FILE =
      "META-INF/native-image/io.mortise/%s/reachability-metadata.json";

  /** That of one artifact. */
  static ImageMetadata of(String artifact) {
    URL file = ImageMetadata.class.getClassLoader().getResource(FILE.formatted(artifact));
    if (file == null) {
      throw new IllegalArgumentException(artifact + " has no " + FILE.formatted(artifact));
    }
    try (Reader text = new InputStreamReader(file.openStream(), StandardCharsets.UTF_8)) {
      return of(JsonParser.parseReader(text).getAsJsonObject());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ImageMetadata of(JsonObject file) {
    ImageMetadata metadata = new ImageMetadata(new HashSet<>(), new HashSet<>(), new HashSet<>());
    for (JsonElement each : list(file, "resources")) {
      metadata.resources.add(text(each, "glob"));
    }
    for (JsonElement each : list(file, "reflection")) {
      metadata.types.add(text(each, "type"));
      for (String kind : List.of("fields", "methods")) {
        for (JsonElement member : list(each.getAsJsonObject(), kind)) {
          metadata.members.add(text(each, "type") + '.' + text(member, "name"));
        }
      }
    }
    return metadata;
  }

  private static Iterable<JsonElement> list(JsonObject object, String name) {
    return object.has(name) ? object.getAsJsonArray(name) : Set.of();
  }

  private static String text(JsonElement object, String name) {
    return object.getAsJsonObject().get(name).getAsString();
  }

  /** This and the other. */
  ImageMetadata and(ImageMetadata other) {
    return new ImageMetadata(
        union(resources, other.resources),
        union(types, other.types),
        union(members, other.members));
  }

  private static Set<String> union(Set<String> some, Set<String> others) {
    Set<String> all = new HashSet<>(some);
    all.addAll(others);
    return all;
  }

  /** Without one pattern of resources. */
  ImageMetadata withoutResources(String pattern) {
    return new ImageMetadata(
        resources.stream().filter(each -> !each.equals(pattern)).collect(Collectors.toSet()),
        types,
        members);
  }

  /** Whether the image has a resource. */
  boolean hasResource(String name) {
    return resources.stream().anyMatch(pattern -> matches(pattern, name));
  }

  private static boolean matches(String pattern, String name) {
    return name.matches(Pattern.quote(pattern).replace("*", "\\E[^/]*\\Q"));
  }
}
