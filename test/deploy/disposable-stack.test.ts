import { expect, test } from "bun:test";
import { Stack } from "../../deploy/disposable-stack.ts";

/** What happens to the same resources on a stack of this class, in order. */
async function courseOf(One: typeof Stack | typeof AsyncDisposableStack): Promise<string[]> {
  const happened: string[] = [];
  const note = (text: string) => () => void happened.push(text);
  const stack = new One();
  expect(stack.use(null)).toBeNull();
  expect(stack.use(undefined)).toBeUndefined();
  stack.use({ [Symbol.dispose]: note("a file") });
  stack.use({
    async [Symbol.asyncDispose]() {
      await Bun.sleep(1);
      note("a service")();
    },
  });
  expect(stack.adopt(7, (value) => void happened.push(`adopted ${value}`))).toBe(7);
  stack.defer(note("deferred"));
  stack.defer(() => Promise.reject(new Error("one fails")));
  const moved = stack.move();
  await stack.disposeAsync();
  note("after the first")();
  await moved[Symbol.asyncDispose]().catch((error) => note(error.message)());
  await moved.disposeAsync();
  return happened;
}

test("the stack for Node 22 disposes as the one of the language does: all, once, in reverse order, unless they are moved", async () => {
  const course = ["after the first", "deferred", "adopted 7", "a service", "a file", "one fails"];
  expect(await courseOf(AsyncDisposableStack)).toEqual(course);
  expect(await courseOf(Stack)).toEqual(course);
});
