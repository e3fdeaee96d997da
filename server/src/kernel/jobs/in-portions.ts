/**
 * Repeats a step that does `most` at once, until it has less to do or the signal is aborted. The step gives how much it has done;
 * the answer is how much that was in all.
 */
export async function inPortions(most: number, signal: AbortSignal, step: () => Promise<number>): Promise<number> {
  for (let all = 0; ; ) {
    const done = await step()
    all += done
    if (done < most || signal.aborted) return all
  }
}
