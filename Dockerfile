# The planner node with ROS 2 Jazzy, for machines that have Docker:
#
#   docker build -t fleetweave .
#   docker run --rm --network host fleetweave ros2 launch fleetweave planner.launch.py robots:=a,b,c
#   docker run --rm fleetweave fleetweave plan --make warehouse:61x33,seed=1 --robots 40
#
# docs/releasing.md says what has been tried of it.
ARG ROS_IMAGE=ros:jazzy-ros-base

FROM ${ROS_IMAGE} AS builder
SHELL ["/bin/bash", "-c"]
WORKDIR /workspace
COPY package.xml src/fleetweave/package.xml
# What the build needs: keys of buildtool_depend, build_depend and depend.
RUN apt-get update && rosdep update --rosdistro jazzy && rosdep install --from-paths src --ignore-src -y \
      --dependency-types buildtool --dependency-types build && rm -rf /var/lib/apt/lists/*
COPY . src/fleetweave
RUN source /opt/ros/jazzy/setup.bash && colcon build --merge-install --install-base /opt/fleetweave \
      --cmake-args -DBUILD_TESTING=OFF -DFLEETWEAVE_ROS=ON -DFLEETWEAVE_CUDA=OFF

FROM ${ROS_IMAGE}
SHELL ["/bin/bash", "-c"]
WORKDIR /workspace
COPY package.xml package.xml
# What it needs to run, without the programs with a window: those belong on another machine.
RUN apt-get update && rosdep update --rosdistro jazzy && rosdep install --from-paths . --ignore-src -y \
      --dependency-types exec \
      --skip-keys "rviz2 rviz_common rviz_default_plugins ros_gz_sim ros_gz_bridge" && \
    apt-get install -y --no-install-recommends libpng16-16t64 && rm -rf /var/lib/apt/lists/* package.xml ~/.ros && \
    useradd --create-home --uid 1001 fleetweave
COPY --from=builder /opt/fleetweave /opt/fleetweave
RUN printf '#!/bin/bash\nset -e\nsource /opt/ros/jazzy/setup.bash\nsource /opt/fleetweave/setup.bash\nexport PATH=/opt/fleetweave/bin:$PATH\nexec "$@"\n' \
      >/entrypoint.sh && chmod 755 /entrypoint.sh
# Journals and records go to where the container is started with a volume: /home/fleetweave
USER fleetweave
WORKDIR /home/fleetweave
ENTRYPOINT ["/entrypoint.sh"]
CMD ["ros2", "launch", "fleetweave", "planner.launch.py"]
