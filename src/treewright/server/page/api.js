// Questions to the server. Whoever asks again aborts the question before.

/** What the server, or the way to it, has to say when it cannot answer. */
export class ServerError extends Error {
  constructor(message, about = {}) {
    super(message);
    this.about = about;
  }
}

/** Ask the server; the answer is plain data, or text where `body.format` says so. */
export async function ask(path, body, signal) {
  const response = await reached(path, body, signal);
  if (!response.ok) throw await refusal(response);
  return response.headers.get("Content-Type")?.startsWith("application/json") ? response.json() : response.text();
}

let token = null; // of a server that has one; gone with the page

/** Send a token with all questions from now on. */
export function authorize(given) {
  token = given;
}

async function reached(path, body, signal) {
  const headers = {
    ...(body && { "Content-Type": "application/json" }),
    ...(token && { Authorization: `Bearer ${token}` }),
  };
  const sent = { headers, ...(body && { method: "POST", body: JSON.stringify(body) }) };
  try {
    return await fetch(path, { ...sent, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError("The server does not answer: is treewright serve still running?");
  }
}

async function refusal(response) {
  try {
    const { error } = await response.json();
    return new ServerError(error.message, error);
  } catch {
    return new ServerError(`The server answered ${response.status}.`);
  }
}

/** A way to ask in which a new question makes the one before obsolete: that one is then undefined, whatever it was. */
export function latest() {
  let current = null;
  return async (path, body) => {
    current?.abort();
    const mine = (current = new AbortController());
    try {
      const answer = await ask(path, body, mine.signal);
      return mine.signal.aborted ? undefined : answer;
    } catch (error) {
      if (mine.signal.aborted) return undefined;
      throw error;
    }
  };
}
