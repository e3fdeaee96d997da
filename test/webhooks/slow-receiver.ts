import { aCalledServer } from '../support/called-server.ts'

/** A receiver that answers when it is told to, and only then. */
export async function aSlowReceiver() {
  const held: (() => void)[] = []
  let inside = 0
  let most = 0
  let isSlow = false
  const receiver = await aCalledServer((_, response) => {
    inside += 1
    most = Math.max(most, inside)
    const answer = () => {
      inside -= 1
      response.end()
    }
    if (isSlow) held.push(answer)
    else answer()
  })
  return {
    receiver,
    held,
    slowDown: () => {
      isSlow = true
    },
    most: () => most,
    /** Answers everything that has come, and what will. */
    release: () => {
      isSlow = false
      for (const answer of held.splice(0)) answer()
    },
  }
}
