import { isBuiltin, type ResolveHook } from "node:module";

/** Refuses what a browser has not: the modules of Node. */
export const resolve: ResolveHook = (specifier, context, next) => {
  if (isBuiltin(specifier)) {
    throw new Error(`${context.parentURL} imports ${specifier}`);
  }
  return next(specifier, context);
};
