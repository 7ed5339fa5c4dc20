import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Operator } from "../api/responses.ts";

/** The operator who is signed in. */
export const CurrentOperator = createContext<Operator | undefined>(undefined);

/** Whether the operator has the role admin. Viewers see no actions. */
export const useIsAdmin = (): boolean => useContext(CurrentOperator)?.role === "admin";
