/** Calls `work` for every item, at most `width` at a time, and starts no more calls once one has failed. */
export async function inParallel<Item>(items: Item[], width: number, work: (item: Item) => Promise<void>) {
  const queue = items.values()
  let hasFailed = false

  async function drain() {
    for (const item of queue) {
      if (hasFailed) return
      try {
        await work(item)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }

  await Promise.all(Array.from({ length: width }, drain))
}

export function chunksOf<Item>(items: Item[], size: number): Item[][] {
  const chunks: Item[][] = []
  for (let start = 0; start < items.length; start += size) chunks.push(items.slice(start, start + size))
  return chunks
}
