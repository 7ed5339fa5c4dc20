/** axios with axios-retry, as its documentation shows it. */
import axios from "axios";
import axiosRetry from "axios-retry";
import { makeCalls } from "./calls.mjs";

axiosRetry(axios, { retries: 3 });

makeCalls(async ({ body, ...call }) => (await axios({ ...call, data: body })).status);
