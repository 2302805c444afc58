"""What Hugging Face's FlaxBertModel makes of a small random encoder, and of MiniLM on 100 statements: writes encoder.json and
encoder.safetensors next to this file. Arguments: the folder of all-MiniLM-L6-v2 with model.safetensors and vocab.txt.
Needs transformers 4.46.3, flax 0.8.5, jax 0.4.30 and safetensors; the lab's and the learning crate's tests read what it wrote."""
import json
import sys
from pathlib import Path

import flax
import jax
import numpy as np
import transformers
from safetensors.numpy import load_file, save_file
from transformers import BertConfig, BertTokenizerFast, FlaxBertModel
from transformers.modeling_flax_pytorch_utils import load_pytorch_checkpoint_in_flax_state_dict

jax.config.update("jax_default_matmul_precision", "highest")


def bert_shape(weights, heads):
    positions, width = weights["embeddings.position_embeddings.weight"].shape
    return BertConfig(
        vocab_size=weights["embeddings.word_embeddings.weight"].shape[0],
        hidden_size=width,
        num_hidden_layers=len({name.split(".")[2] for name in weights if name.startswith("encoder.layer.")}),
        num_attention_heads=heads,
        intermediate_size=weights["encoder.layer.0.intermediate.dense.weight"].shape[0],
        max_position_embeddings=positions,
        hidden_act="gelu",
        layer_norm_eps=1e-12,
    )


def model(path, heads):
    weights = load_file(path)
    model = FlaxBertModel(bert_shape(weights, heads))
    model.params = load_pytorch_checkpoint_in_flax_state_dict(model, path, False)
    return model


def pooled(model, texts, segments):
    longest = max(map(len, texts))

    def pad(rows):
        return np.array([row + [0] * (longest - len(row)) for row in rows])

    mask = np.array([[1] * len(row) + [0] * (longest - len(row)) for row in texts])
    positions = np.broadcast_to(np.arange(longest), mask.shape)
    out = model(input_ids=pad(texts), attention_mask=mask, token_type_ids=pad(segments), position_ids=positions)
    return np.asarray(out.pooler_output)


here, folder = Path(__file__).parent, sys.argv[1]
rng = np.random.default_rng(32)
width, inner, layers, positions, words, heads = 16, 64, 2, 24, 60, 4


def draw(*shape):
    return (rng.normal(size=shape) * 0.3).astype(np.float32)


weights = {
    "embeddings.word_embeddings.weight": draw(words, width),
    "embeddings.position_embeddings.weight": draw(positions, width),
    "embeddings.token_type_embeddings.weight": draw(2, width),
}


def dense(name, inputs, outputs):
    weights[name + ".weight"], weights[name + ".bias"] = draw(outputs, inputs), draw(outputs)


def norm(name):
    weights[name + ".weight"], weights[name + ".bias"] = 1 + draw(width), draw(width)


norm("embeddings.LayerNorm")
for layer in range(layers):
    at = f"encoder.layer.{layer}."
    for part in ["query", "key", "value"]:
        dense(at + "attention.self." + part, width, width)
    dense(at + "attention.output.dense", width, width)
    norm(at + "attention.output.LayerNorm")
    dense(at + "intermediate.dense", width, inner)
    dense(at + "output.dense", inner, width)
    norm(at + "output.LayerNorm")
dense("pooler.dense", width, width)
path = str(here / "encoder.safetensors")
save_file(weights, path, metadata={"format": "pt"})
texts = [rng.integers(0, words, size=rng.integers(2, positions + 1)).tolist() for _ in range(20)]
segments = [[0] * (len(t) // 2) + [1] * (len(t) - len(t) // 2) for t in texts]
vectors = pooled(model(path, heads), texts, segments)


def rounded(row):
    return [round(float(x), 6) for x in row]


small = [{"tokens": t, "segments": s, "pooled": rounded(p)} for t, s, p in zip(texts, segments, vectors, strict=True)]

tokenizer = BertTokenizerFast(vocab_file=folder + "/vocab.txt", do_lower_case=True)
files = sorted((here / "../../statements").glob("*.txt"))
lines = [line for file in files for line in file.read_text().splitlines() if line.isascii() and not line.startswith("#")]
lines = lines[::7][:100]
ids = [tokenizer(line, truncation=True, max_length=128)["input_ids"] for line in lines]
minilm = model(folder + "/model.safetensors", 12)
large = []
for i in range(0, 100, 20):
    some = ids[i : i + 20]
    vectors = pooled(minilm, some, [[0] * len(t) for t in some])
    for line, tokens, p in zip(lines[i : i + 20], some, vectors, strict=True):
        large.append({"text": line, "tokens": tokens, "pooled": rounded(p[:8])})
made = (
    f"transformers {transformers.__version__} (FlaxBertModel, BertTokenizerFast), jax {jax.__version__}, flax {flax.__version__}, float32, "
    "highest precision; weights of the small encoder by numpy's default_rng(32)"
)


def listed(rows):
    return ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)


with (here / "encoder.json").open("w") as out:
    out.write(f'{{"made": {json.dumps(made)},\n"tolerance": 1e-4,\n"small": {{"heads": {heads}, "texts": [\n{listed(small)}]}},\n')
    out.write(f'"minilm": {{"heads": 12, "texts": [\n{listed(large)}]}}}}\n')
