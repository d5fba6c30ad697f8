"""The eyes: finds playing cards in pictures and reads them; knows no rules."""

import os

# The picture library reads these when it is loaded. It would print lines of its own beside our sentences, and wait
# ten seconds for a camera that gives nothing.
# A small file can promise a picture that fills the memory: the size in its head is checked before it is decoded.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", "64000000")
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
os.environ.setdefault("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "5")
# Windows: with them a camera takes many seconds to open, and again for each size that is asked for.
os.environ.setdefault("OPENCV_VIDEOIO_MSMF_ENABLE_HW_TRANSFORMS", "0")
# The inference runtime reports its use to its maker as soon as it is loaded. Nothing leaves this computer.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
