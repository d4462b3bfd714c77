"""What `scripts/chat_clients.py` runs where OpenAI's client is installed: a program that knows no
more of memory than a base URL."""

import json
import sys

from openai import APIStatusError, OpenAI  # type: ignore[import-not-found]

SAID, ASKED = "I keep seven bee hives in Porto.", "Where do I keep bees?"
TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]


def main() -> None:
    act, site, agent, token = sys.argv[1:]
    client = OpenAI(base_url=f"{site}/v1", api_key=token, default_headers={"X-Agent": agent})
    print(json.dumps(tell(client) if act == "tell" else ask(client)))


def tell(client: OpenAI) -> dict[str, bool]:
    said = client.chat.completions.create(
        model="any", user="customer-1", messages=[{"role": "user", "content": SAID}]
    )
    return {"openai: told": said.choices[0].message.content == "Noted."}


def ask(client: OpenAI) -> dict[str, bool]:
    messages = [{"role": "user", "content": ASKED}]
    more = {"model": "any", "user": "customer-1", "tools": TOOLS}
    stream = client.chat.completions.create(
        messages=messages, stream=True, stream_options={"include_usage": True}, **more
    )
    chunks = list(stream)
    text = "".join(one.choices[0].delta.content or "" for one in chunks if one.choices)
    raw = client.chat.completions.with_raw_response.create(
        messages=[*messages, {"role": "assistant", "content": text}, *messages], **more
    )
    try:
        client.chat.completions.create(model="any", messages=messages)
    except APIStatusError as error:
        refused = (error.status_code, error.code, error.param) == (400, "owner_required", "user")
    else:
        refused = False
    return {
        "openai: knew it": "Porto" in text,
        "openai: counted": bool(chunks[-1].usage and chunks[-1].usage.total_tokens),
        "openai: went on": raw.headers["X-Conversation"]
        == stream.response.headers["X-Conversation"],
        "openai: was told what is wrong": refused,
    }


if __name__ == "__main__":
    main()
