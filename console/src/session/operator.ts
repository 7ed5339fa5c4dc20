import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Operator } from "../api/answers.ts";

/** Who is signed in. */
export const SignedIn = createContext<Operator | undefined>(undefined);

/** Whether the operator may change anything: viewers see no actions. */
export const useMayChange = (): boolean => useContext(SignedIn)?.role === "admin";
