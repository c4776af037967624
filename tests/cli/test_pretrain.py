from treewright.neural.trained import TrainedNetwork

SIZES = ("--width", 16, "--layers", 1, "--heads", 2, "--epochs", 2, "--batch", 2, "--device", "cpu")


def test_an_encoder_is_trained_and_the_checkpoint_removed(tmp_path, run):
    (tmp_path / "raw.txt").write_text("the trees grow slowly .\n" * 200)
    done = run("pretrain", "raw.txt", "--output", "e.tw", "--resume", "kept", *SIZES)
    assert done.code == 0, done.err
    assert "Saved e.tw (0.0 MB): 1,000 words, 8 steps." in done.err
    assert not list((tmp_path / "kept").iterdir())
    encoder = TrainedNetwork.open(tmp_path / "e.tw")
    assert encoder.is_encoder
    assert encoder.info["trained on"] == {"words": 1000}


def test_too_little_text_and_missing_files_are_one_clear_line(tmp_path, run):
    (tmp_path / "raw.txt").write_text("the trees grow\n")
    assert run("pretrain", "raw.txt", "--output", "e.tw", *SIZES).fails_with("too little raw text")
    assert run("pretrain", "none.txt", "--output", "e.tw", *SIZES).fails_with("none.txt")
