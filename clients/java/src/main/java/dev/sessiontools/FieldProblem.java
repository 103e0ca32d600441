package dev.sessiontools;

/**
 * One wrong field of a request.
 *
 * @param field the name of the field, with a path when it is nested
 * @param problem what is wrong with it
 */
public record FieldProblem(String field, String problem) {}
