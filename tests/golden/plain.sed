# What differs from run to run or from machine to machine is taken out of what is printed: times,
# sizes of compressed files, versions and hashes of the program.
s/[0-9.]+ (kB|MB|GB|bytes)/SIZE/g
s/(in|engine|sprites?|metal|clay|bodies|,) [0-9.]+ (ms|s)/\1 TIME/g
s/[0-9.]+ ?x real time/TIMES real time/g
s/("(seconds|times_real_time|[a-z_]*_ms_per_step|engine_seconds|material_seconds|bytes|size|size_[a-z_]*|[a-z_]*_size|[A-Z]*_chunks|weights_residual)": )[0-9.e+-]+/\1N/
s/("(recipe_hash|written_by)": ).*/\1X/
s/exact to [0-9.]+/exact to R/
s/^( *(recipe hash|written by)) .*/\1 X/
s/Wrought [0-9]+\.[0-9]+\.[0-9]+/Wrought VERSION/g
s/wrought [0-9]+\.[0-9]+\.[0-9]+/wrought VERSION/g
