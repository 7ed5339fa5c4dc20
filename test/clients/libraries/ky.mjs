/** ky with its defaults. */
import ky from "ky";
import { makeCalls } from "./calls.mjs";

makeCalls(async ({ url, ...call }) => (await ky(url, call)).status);
