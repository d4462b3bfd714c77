// The clients of mem0 that run in Node: `mem0_clients.py` copies this to where they are installed.

import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { MemoryClient } from "mem0ai";

const { Mem0 } = createRequire(import.meta.url)("@mem0/n8n-nodes-mem0/dist/nodes/Mem0/Mem0.node.js");
const [act, site, token] = process.argv.slice(2);
const SAID = "I keep seven bee hives in Porto.";
const STATED = "Likes green tea.";
const ASKED = "Where do I keep bees?";

const client = new MemoryClient({ apiKey: token, host: site });
const node = {
  async tell(metadata) {
    await client.add([{ role: "user", content: STATED }], { userId: "node", infer: false, metadata });
    await client.add([{ role: "user", content: SAID }], { userId: "node" });
  },
  search: async () => (await client.search(ASKED, { filters: { user_id: "node" } })).results,
  kept: async (metadata) =>
    (await client.getAll({ filters: { user_id: "node", metadata } })).results,
  end: () => client.deleteUsers({ userId: "node" }),
  all: async () => (await client.getAll({ filters: { user_id: "node" } })).results,
};

const mem0 = (...words) => {
  return execFileSync("node", ["node_modules/@mem0/cli/dist/index.js", ...words], {
    cwd: new URL(".", import.meta.url).pathname,
    env: { ...process.env, MEM0_API_KEY: token, MEM0_BASE_URL: site, MEM0_USER_ID: "cli" },
    input: "",
  }).toString();
};
const listed = (...words) => {
  const told = JSON.parse(mem0(...words, "-o", "json"));
  return told.results ?? told.data ?? told;
};
const cli = {
  async tell(metadata) {
    mem0("add", STATED, "--no-infer", "--metadata", JSON.stringify(metadata));
    mem0("add", SAID);
  },
  search: async () => listed("search", ASKED),
  kept: async () =>
    listed("list").map((one) => listed("get", one.id)).filter((one) => one.metadata),
  end: async () => mem0("delete", "--all", "--force"),
  all: async () => listed("list"),
};

async function n8n(operation, given) {
  const [rows] = await new Mem0().execute.call({
    getInputData: () => [{}],
    getCredentials: async () => ({ baseUrl: site }),
    getNode: () => ({}),
    getNodeParameter: (name, _item, preset) =>
      name === "operation" ? operation : (given[name] ?? preset),
    continueOnFail: () => false,
    helpers: {
      async httpRequestWithAuthentication(_credentials, { method, url, body, qs }) {
        const answer = await fetch(`${url}?${new URLSearchParams(qs)}`, {
          method,
          body: body && JSON.stringify(body),
          headers: { Authorization: `Token ${token}`, "Content-Type": "application/json" },
        });
        if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status}`);
        return answer.json();
      },
    },
  });
  return rows.map((row) => row.json);
}
const user = { userId: "n8n" };
const says = (content) => ({ "messages.message": [{ role: "user", content }], ...user });
const inN8n = {
  async tell(metadata) {
    await n8n("add", { ...says(STATED), addFields: { infer: false, metadata } });
    await n8n("add", { ...says(SAID), waitForCompletion: false });
  },
  search: () => n8n("search", { query: ASKED, ...user }),
  kept: async () => (await inN8n.all()).filter((one) => one.metadata),
  async end() {
    for (const one of await inN8n.all()) await n8n("delete", { memoryId: one.id });
  },
  all: () => n8n("getAll", { returnAll: true, ...user }),
};

const answers = {};
for (const [name, host] of Object.entries({ node, cli, n8n: inN8n })) {
  if (act === "tell") await host.tell({ from: name });
  if (act === "ask") {
    const [best] = await host.search();
    const kept = await host.kept({ from: name });
    answers[name] = [best?.memory.includes("Porto"), kept.map((one) => one.memory)];
  }
  if (act === "end") {
    await host.end();
    answers[name] = await host.all();
  }
}
process.stdout.write(JSON.stringify(answers));
